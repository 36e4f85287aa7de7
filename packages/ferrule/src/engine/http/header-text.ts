/** What values of callers and configurations may hold where a header carries them. */

/** Returns whether a header can carry a text as it is: printable ASCII, without spaces at its ends. */
export const isHeaderText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && text.trim() === text

/** Message for a value that no header can carry. */
export const headerMessage = 'must consist of printable ASCII characters, because a header carries it'
