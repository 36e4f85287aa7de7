// @ts-nocheck The types of the two linters are a seventh of all that a check of the project instantiates.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ruleset, Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

/**
 * Lints a document of OpenAPI with the rules that Redocly recommends.
 * @param {object} document The document.
 * @returns {Promise<unknown[]>} A row for each problem: rule, sentence, pointer.
 */
export async function lintWithRedocly(document) {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])
}

/**
 * Lints a document of OpenAPI with Spectral's rules. There is nobody to name as a contact, and the examples are held against their own
 * variants in `openapi.test.ts`, eight times faster.
 * @param {object} document The document.
 * @returns {Promise<unknown[]>} A row for each problem: rule, sentence, pointer.
 */
export async function lintWithSpectral(document) {
  const spectral = new Spectral()
  spectral.setRuleset(new Ruleset({ extends: oas, rules: { 'info-contact': 'off', 'oas3-valid-media-example': 'off' } }))
  const problems = await spectral.run(structuredClone(document))
  return problems.map(({ code, message, path }) => [code, message, path.join('.')])
}
