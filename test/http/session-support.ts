/** Signs in at the console without a browser. */
import { type Answer, client, type Sent, type World } from './support.ts'

/** Headers of a form. */
export const formType = { 'content-type': 'application/x-www-form-urlencoded' }
/** What a browser says of requests of our own pages. */
export const own = { 'sec-fetch-site': 'same-origin' }

/** Sends a form as a page does. */
export const postForm = (
  world: Pick<World, 'ask'>,
  path: string,
  { fields = {}, headers = own }: { readonly fields?: Readonly<Record<string, string>>; readonly headers?: Sent['headers'] } = {},
): Promise<Answer> => world.ask(path, { body: String(new URLSearchParams(fields)), headers: { ...formType, ...headers } })

/** Reads the cookie that an answer sets: its name with its value. */
export const readCookie = ({ headers }: Answer): string => /^[^;]+/.exec(headers['set-cookie']?.[0] ?? '')?.[0] ?? ''

/** Begins a session. @returns the headers of requests of the console */
export async function beginSession(world: Pick<World, 'ask'>, pair: { readonly id: string; readonly secret: string } = client) {
  const answer = await postForm(world, '/console/session', { fields: { client_id: pair.id, client_secret: pair.secret } })
  if (answer.status !== 303) throw new Error(`the sign-in answered ${answer.status}`)
  return { ...own, cookie: readCookie(answer) }
}
