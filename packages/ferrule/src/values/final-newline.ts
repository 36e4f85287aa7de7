/** Cuts newlines at the end of a secret: editors, `echo`, commands and mounted files add one. No secret ends with one. */
export const cutFinalNewline = (text: string): string => text.replace(/[\r\n]+$/, '')
