// Requests to the service that this page comes from.

let token = sessionStorage.getItem("fenjie-token") ?? "";

export function useToken(value) {
  token = value.trim();
  sessionStorage.setItem("fenjie-token", token);
}

/** A request that the service refused, or that has no whole answer (status 0). */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Asks the service; gives the JSON of its answer. */
export async function ask(method, path, body, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, signal, body: body && JSON.stringify(body) });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new Refused(0, "");
  }
  const found = await answer.json().catch((error) => {
    if (isAborted(error)) throw error;
    if (answer.ok) throw new Refused(0, ""); // it broke off
    return {}; // a refusal of something between
  });
  if (!answer.ok) throw new Refused(answer.status, found.error ?? answer.statusText);
  return found;
}

export const post = (path, body, signal) => ask("POST", path, body, signal);
export const get = (path) => ask("GET", path);

/** Whether an error is only that a newer request has taken the place of this one. */
export const isAborted = (error) => error.name === "AbortError";
