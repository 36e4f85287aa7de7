/** The keys of the list that describes the fields of an account's own. */
import { type KeyGroup, key, map, text, value } from '../shape.ts'
import { condition } from './conditions.ts'

export const describedGroup: KeyGroup = {
  title: 'entities.NAME.described',
  keys: [
    key('run', text('operation'), 'The entity that describes the fields, and list', { example: 'run: properties.list', required: true }),
    key('params', map('name', value), 'Parameters of the call', { example: 'params: { object: contacts }' }),
    key('name', text('path'), 'Field of its records with the name', { example: 'name: name', required: true }),
    key('where', condition, 'Field, or field and value, of the records that count; with ! in front a field without a value', {
      example: "where: '!hubspotDefined'",
      without: 'all of them',
    }),
  ],
}
