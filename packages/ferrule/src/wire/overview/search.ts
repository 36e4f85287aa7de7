/** A search over all connectors of a view, on the wire. */
import { bool, int, list, oneOf, open, opt, orNull, str, time } from '../../definition/index.ts'
import { body, part, record, recordOrNull, uuid, type Wire } from '../schemas.ts'

const names = (item: string, about: string) => opt(list(str(item, { minLength: 1, maxLength: 200 }), about, { maxItems: 100 }))

/** Most records of one entity that facets count exactly. */
export const mostCounted = 1_000

export const searchInput = body(
  'SearchInput',
  {
    text: opt(
      str(
        'Words. Each must be in the title, the summary, a name, another field of prose, a list or an object of a record, as a word or as its beginning',
        { minLength: 1, maxLength: 10_000 },
      ),
    ),
    filter: opt(open('`query.filter` of a search, for all entities that have its fields; with `text` both must hold')),
    include: opt(
      open(
        '`include` of a search: fields of related records, for all entities that have the reference, for example {"primaryUserId": ["firstName"]}',
      ),
    ),
    kinds: names('Kind, for example gong', 'Only connectors of these kinds'),
    entities: names('Entity, for example calls', 'Only these entities'),
    connectors: opt(list(uuid('Id of a connector'), 'Only these connectors', { maxItems: 1_000 })),
    workspace_id: opt(uuid('Only connectors of this workspace')),
    limit: opt(int('Records of a page', { minimum: 1, maximum: 100, default: 20 })),
    cursor: opt(
      str(
        'Opaque: `meta.cursor` of the page before, with the same search. Valid for 24 hours; any other text is refused with invalid_cursor',
        {
          maxLength: 8_000,
        },
      ),
    ),
  },
  'What to look for: `text`, `filter`, or both; and where. Left out: in all entities of all connectors that the token reaches',
)
/** What to look for in all connectors. */
export type SearchInput = Wire<typeof searchInput>

const connector = part({ id: uuid('Id'), name: str('Name'), kind: str('Kind, for example gong') }, 'The connector')

const snippet = part(
  {
    field: str('Searchable field that the text is of'),
    text: str('Plain text, cut around the first word that was found'),
    ranges: list(
      list(int('Index'), 'Begin, and end behind the last character, in UTF-16 code units as JavaScript counts'),
      'Where words that were looked for stand in the text, in order',
    ),
  },
  'Text of the record in which words were found; without words the summary',
)

export const searchHit = record(
  'SearchHit',
  {
    connector,
    entity: str('Entity'),
    key: str('Key of the record; of several parts: a text that only serves to compare'),
    title: orNull(str('Title')),
    snippet: recordOrNull(snippet),
    time: orNull(str('Main time of the record, such as its creation, as the vendor writes it')),
    link: orNull(str("Address of the record's page at the vendor")),
    synced_at: time('The copy has what the vendor reported until then'),
    related: opt(
      open(
        'With include: what the record refers to, by reference: its fields, or null without such a record; of a list an object by ids. ' +
          'Left out where the entity has none of the references',
      ),
    ),
  },
  'A record that was found',
)
/** A record that was found. */
export type SearchHit = Wire<typeof searchHit>

const count = int('Records that were found')
const exact = bool(`false: at least so many. Up to ${mostCounted.toLocaleString('en')} records of an entity are counted`)

const searchLeftOut = part(
  {
    reason: oneOf(
      'not_ready: the copy is not filled, or cannot be. no_field: the entity lacks a field of the filter, or the field does not take its operator or value. ' +
        'late: no answer in time. failed: the message says why',
      ...(['not_ready', 'no_field', 'late', 'failed'] as const),
    ),
    kind: str('Kind'),
    connector: recordOrNull(connector),
    entities: list(str('Entity'), 'Entities without an answer'),
    message: str('What is the matter'),
  },
  'Entities that were not searched. connector is null where it holds for all connectors of the kind',
)

export const searchResult = record(
  'SearchResult',
  {
    data: list(
      searchHit,
      'Records. Those found by words come by relevance, then the newest first; those found by a filter without words the newest first',
    ),
    meta: part(
      {
        has_more: bool('More records follow'),
        cursor: orNull(str('Opaque cursor of the next page; null on the last page')),
        took_ms: int('Milliseconds'),
        ranked: bool('false: the filter has no words, or too many records were found to order them by relevance'),
        related: opt(
          list(
            part(
              {
                connector,
                entity: str('Entity'),
                synced_at: orNull(time('The copy has what the vendor reported until then; null: it cannot be searched')),
              },
              'A copy',
            ),
            'Copies that include read besides, for the records of the page. Records are missing where synced_at is null',
          ),
        ),
        not_included: opt(
          list(
            part({ kind: str('Kind'), message: str('What they lack'), entities: list(str('Entity'), 'Entities') }, 'Entities'),
            'Entities of the page whose records came without a part of include',
          ),
        ),
        near: bool('true: no record has all words of `text` as they were written, so words with one or two typing errors count'),
      },
      'About the page',
    ),
    facets: recordOrNull(
      part(
        {
          kinds: list(part({ kind: str('Kind'), count, exact }, 'Records of a kind'), 'By kind'),
          entities: list(part({ kind: str('Kind'), entity: str('Entity'), count, exact }, 'Records of an entity'), 'By entity of a kind'),
          connectors: list(part({ connector, count, exact }, 'Records of a connector'), 'By connector'),
        },
        'How many records were found, the most first; null from the second page on',
      ),
    ),
    left_out: list(searchLeftOut, 'What was not searched; the records are all that were found without it'),
  },
  'Records of all connectors',
)
/** Records of all connectors. */
export type SearchResult = Wire<typeof searchResult>
