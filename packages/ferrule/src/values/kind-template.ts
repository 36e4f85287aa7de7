/** The file that a new kind begins with. */

/** Writes a kind file that passes the check, for its author to change. */
export const writeKindTemplate = (
  kind: string,
  title: string,
  api: string,
): string => `# ${title}: what each line means is in docs/writing-kinds.md.
kind: ${kind}
title: ${JSON.stringify(title)}
category: my systems
about: ${JSON.stringify(`Records of ${title}`)}
docs: ${api}
api: ${api}

# Compare each with the vendor's pages, then delete its line.
unsure:
  docs: not said
  auth: guessed
  limits: guessed
  errors: guessed
  pages: guessed
  entities.things: guessed

auth:
  token:
    title: API token
    fields: { token: secret Token of an account }
    find: Settings > API
    send: { authorization: 'Bearer {token}' }

limits: { per: token, rates: [60/m] }
errors:
  message: message
check: things.list

# One way of paging; lists name it. Ways: a path in the answer, link:next, last:<field>, rows, pages.
pages:
  cursor: { next: next_cursor, send: cursor, size: limit=100 }
lists: { at: data, pages: cursor }

entities:
  things:
    about: Things
    fields:
      id: string Id
      name: string? Name
      created_at: date-time When it was made
    list: GET /things
    get: GET /things/{id}
`
