"""Silver annotations: text that models, rules and lists have marked, to learn from.

`agreed`, `corrected`, `crossed` and `drugs` mark raw text, `agreed_words` cuts it; `exchanged`,
`blended` and `rewritten` copy marked sentences with other names or words; `address_levels`,
`forms_of_address` and `heads` change what people have marked. `known_names` has the names that they
ask for, `roles` the words, `beside` what stands beside a name. `recipes/rebuild.mk` has the
commands.
"""
