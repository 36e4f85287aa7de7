/** Text of services and vendors on a terminal: what would move its cursor or change it is shown, and never sent. */

/** Matches controls, and marks that turn the direction of what follows; not tab, line feed, and the ends of CSV lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g

/** Shows each such character as an escape of JSON. */
export const showControls = (text: string): string =>
  text.replaceAll(hidden, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Shows them in one line: white space becomes a blank. */
export const showInLine = (text: string): string => showControls(text.replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' '))
