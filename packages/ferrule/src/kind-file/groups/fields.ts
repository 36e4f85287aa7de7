/** The keys of a field in full. */
import { either, fields, flag, type KeyGroup, key, keys, list, longest, scalar, sentence, text } from '../shape.ts'

/** A field in full: its keys begin with a dollar sign, so that they are no names of the vendor's. */
export const fieldGroup: KeyGroup = {
  title: 'a field in full',
  keys: [
    key('$type', text(), 'The type, as in the short form', {
      example: '$type: string?',
      without: 'an object with the other keys as its fields',
    }),
    key('$about', sentence, 'The sentence', { example: '$about: Name, as people see it' }),
    key('$fields', fields('any'), 'Fields of an object', { example: '$fields: { id: integer Id }' }),
    key('$values', list(text()), 'Values with spaces or other signs', { example: '$values: [in progress, done]' }),
    key('$default', scalar, 'Value when it is left out', { example: '$default: all' }),
    key('$min', { is: 'number', least: Number.MIN_SAFE_INTEGER }, 'Smallest number', { example: '$min: 1' }),
    key('$max', { is: 'number', least: Number.MIN_SAFE_INTEGER }, 'Largest number', { example: '$max: 100' }),
    key('$example', scalar, 'A value, as people write it', { example: '$example: octocat' }),
    key('$to', text('name'), 'The name that the request carries', { example: '$to: filter.name' }),
    key('$from', text('word'), 'The field of configuration that fills the parameter where a call leaves it out', {
      example: '$from: workspace',
    }),
    key('$chooses', flag, 'True: the parameter chooses fields, so that records lack the others', { example: '$chooses: true' }),
    key('$find', either(text(undefined, longest.sentence), keys('find')), 'Where people find the value', {
      example: '$find: Settings > API',
    }),
    key('$deprecated', flag, 'The vendor will remove it', { example: '$deprecated: true' }),
  ],
}
