/** Hostile texts in every part of a search and an export over HTTP: an answer, or a refusal of the client. */
import { expect, test } from 'vitest'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { drawHostile, hostileText } from '../context/hostile.ts'
import { Random } from '../context/random.ts'
import { share } from '../support/share.ts'
import { overStatements, startCopyWorld, syncedConnector } from './search-support.ts'
import { type Answer, connectorsPath } from './support.ts'

/** Fields of users: scalar ones, objects and arrays. */
const fields = ['id', 'firstName', 'emailAddress', 'created', 'active', 'settings', 'emailAliases', 'spokenLanguages']
const requests = 150

overStatements('hostile texts over HTTP', async (engine) => {
  const random = new Random(20_261_122)
  const world = await share(startCopyWorld(engine))
  const users = await syncedConnector(world, 'users', { entities: [{ entity: 'users' }] })

  const failures: string[] = []
  const note = (answer: Answer, asked: unknown): void => {
    if (answer.status >= 500) failures.push(`${answer.status} for ${writeJson(asked)}: ${answer.text.slice(0, 300)}`)
  }

  test('a search never fails', async () => {
    for (let count = 0; count < requests; count++) {
      const body = {
        entity: random.chance(0.9) ? 'users' : hostileText(random),
        params: drawHostile(random, fields),
        ...(random.chance(0.2) ? { select_fields: random.many(2, () => hostileText(random)) } : {}),
        ...(random.chance(0.2) ? { exclude_fields: random.many(2, () => hostileText(random)) } : {}),
      }
      const path = `${connectorsPath}/${users}/execute`
      note(await world.ask(path, { token: world.token, body: writeJson({ action: 'context_store_search', ...body }) }), body)
    }
    expect(failures).toEqual([])
  })

  test('an export never fails', async () => {
    /** As an address can say it: halves of surrogate pairs as the bytes that some programs write. */
    const encoded = (text: string): string =>
      [...text].map((each) => (each.isWellFormed() ? encodeURIComponent(each) : '%ED%A0%80')).join('')
    for (let count = 0; count < requests / 3; count++) {
      const { query } = drawHostile(random, fields) as { query: { filter: unknown; sort?: unknown } }
      const json = (value: unknown): string => encodeURIComponent(writeJson(value))
      const parts = [
        `filter=${json(query.filter)}`,
        ...(query.sort === undefined ? [] : [`sort=${json(query.sort)}`]),
        ...(random.chance(0.3) ? [`fields=${encoded(`settings.${hostileText(random)}`)}`] : []),
      ]
      const [id, entity] = [
        random.chance(0.9) ? users : encoded(hostileText(random)),
        random.chance(0.9) ? 'users' : encoded(hostileText(random)),
      ]
      const path = `${connectorsPath}/${id}/entities/${entity}/export?${parts.join('&')}`
      note(await world.ask(path.slice(0, 12_000), { token: world.token }), path)
    }
    expect(failures).toEqual([])
  })
})
