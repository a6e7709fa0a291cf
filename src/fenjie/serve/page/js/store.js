// What stays between two visits, in the browser alone; nothing where it forbids that.

export function remembered(name, otherwise) {
  try {
    const value = JSON.parse(localStorage.getItem(`fenjie-${name}`));
    return value === null ? otherwise : value;
  } catch {
    return otherwise;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`fenjie-${name}`, JSON.stringify(value));
  } catch {
    // Full or forbidden: the page works without it.
  }
}
