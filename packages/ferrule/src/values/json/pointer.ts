/** Writes JSON pointers (RFC 6901). */

/**
 * Appends names to a JSON pointer.
 * @param at the pointer to the outer value; '' is the whole document
 * @param names names of members and indexes of items, outermost first
 * @returns the pointer to the inner value; `~` and `/` in a name are escaped
 */
export const pointTo = (at: string, ...names: readonly (string | number)[]): string =>
  names.reduce<string>((pointer, name) => `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`, at)
