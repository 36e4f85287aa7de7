/** Removes secrets from the vendor's messages. */

/** Removes secrets from a vendor's string. */
export type Redact = (text: string) => string

/** Lists the forms of a value: as it is, in a URL, in a form body and within JSON. */
const listForms = (value: string): string[] => [
  value,
  encodeURIComponent(value.toWellFormed()),
  new URLSearchParams({ '': value }).toString().slice(1),
  JSON.stringify(value).slice(1, -1),
]

/**
 * Makes a redactor of secret values. Ignores values below four characters, because they would redact ordinary words.
 * @param list returns the values; called at the first error only
 */
export function createRedactor(list: () => readonly string[]): Redact {
  let known: readonly string[] | undefined
  return (text) => {
    known ??= list()
      .filter((secret) => secret.length >= 4)
      .flatMap(listForms)
    return known.reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), text)
  }
}
