/** Entries of forms whose fields the console knows: they come from no schema. */

/** What a form with entered texts gives to its fields. */
export interface TextEntries<Name extends string> {
  readonly entered: Readonly<Record<Name, string>>
  readonly set: (changes: { readonly [Member in Name]?: string }) => void
  /** Prints the sentences of the service at a field of the body, such as `/end_user/id`; undefined: none. */
  readonly errorAt: (pointer: string) => string | undefined
}

/** Returns the props of Mantine's field for one text. @param at JSON pointer of the text in the body */
export const bindText = <Name extends string>({ entered, set, errorAt }: TextEntries<Name>, name: Name, at: string) => ({
  value: entered[name],
  onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    set({ [name]: currentTarget.value } as { readonly [Member in Name]?: string }), // has this name only
  error: errorAt(at),
  autoComplete: 'off',
})

/** Returns the props of Mantine's field that holds one text. */
export const bindValue = (value: string, set: (next: string) => unknown) => ({
  value,
  onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => void set(currentTarget.value),
})

/** Returns the props of Mantine's checkbox or switch. */
export const bindChecked = (checked: boolean, set: (next: boolean) => unknown) => ({
  checked,
  onChange: ({ currentTarget }: { readonly currentTarget: { readonly checked: boolean } }) => void set(currentTarget.checked),
})
