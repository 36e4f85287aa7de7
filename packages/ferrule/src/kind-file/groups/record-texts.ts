/** The keys of what people see of a record. */
import { type KeyRow, key, text } from '../shape.ts'

export const recordTextKeys: readonly KeyRow[] = [
  key('title', text('path'), 'The searchable field with the title of a record', {
    example: 'title: dealname',
    without: 'the first of name, title, subject and other usual names',
  }),
  key('summary', text('path'), 'The searchable field that says what a record is about', { example: 'summary: description' }),
  key('link', text('https'), "Address of a record's page at the vendor; a {slot} takes a searchable field, or a value of configuration", {
    example: "link: 'https://{subdomain}.zendesk.com/agent/tickets/{id}'",
  }),
]
