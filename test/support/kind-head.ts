/** Prints what a kind file says of itself before its API. */
export const kindTop = (kind: string): string => `kind: ${kind}
title: ${kind.charAt(0).toUpperCase()}${kind.slice(1)}
category: things
about: Things
docs: https://${kind}.example/docs
`

/** Prints the beginning of a kind file: the members that each has, and a scheme with one key. @param send where the key goes */
export const kindHead = (kind: string, send = "authorization: 'Bearer {key}'"): string => `${kindTop(kind)}api: https://api.${kind}.example
auth:
  key: { title: Key, fields: { key: secret Key }, find: Settings > Keys, send: { ${send} } }
`
