/** The options of a connector that runs in this process. */
import { isObject } from '../definition/object.ts'
import { callRules, downloadRules, type OptionRule, type OptionRules, rowRules } from '../values/options.ts'
import { isOwnRates } from './limits/own-rates.ts'

const anything: OptionRule = ['must be given', () => true] // its own check reports more
const aFunction: OptionRule = ['must be a function', (value) => typeof value === 'function']

/** Options of `connect`. */
export const connectOptions: OptionRules = {
  credentials: anything,
  config: anything,
  origin: ['must be an address or an object with addresses', (value) => typeof value === 'string' || isObject(value)],
  onCredentials: aFunction,
  limits: [
    'must be true, false or your own rates: perSecond (above 0, up to 1,000), perDay (1 to 1,000,000) or both, and perhaps a store with take()',
    (value) => typeof value === 'boolean' || isOwnRates(value),
  ],
  onNotice: aFunction,
}

/** Options of one call or walk. */
export const callOptions: OptionRules = { ...callRules, ...downloadRules }

/** Options of `rows()`. */
export const rowOptions: OptionRules = { ...callRules, ...rowRules }
