"""Silver annotations: text that models, rules and lists have marked, to learn from.

`agreed`, `corrected` and `crossed` mark raw text, `agreed_words` cuts it; `exchanged` copies marked
sentences with other names; `address_levels` and `forms_of_address` change what people have marked.
`known_names` has the names that they ask for. The heads of the recipes that learn from such files
have the commands.
"""
