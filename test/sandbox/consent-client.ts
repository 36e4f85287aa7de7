/** Walks the consent pages of the sandbox without a browser, as a person who reads them would. */
import { sandboxCredentials, shopifyCredentials, snowflakeCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { type Answered, ask } from './client.ts'

/** Fields of a form; a list is a field that is sent several times. */
type Fields = Readonly<Record<string, string | readonly string[]>>

/** Sends a page's form. */
export function submit(url: string, fields: Fields): Promise<Answered> {
  const pairs = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one]))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return ask(url, { method: 'POST', headers, body: String(new URLSearchParams(pairs)) })
}

/** Returns the hidden field that a page hands on. */
export function ticketIn({ text }: Answered): string {
  return /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? ''
}

/** Returns the address to which an answer sends the browser. @throws Error for a page that stays */
export function returnOf({ status, text, headers }: Answered): URL {
  const location = headers.get('location')
  if (status !== 302 || location === null) throw new Error(`The page stays: ${status} ${text}`)
  return new URL(location)
}

/** Who signs in, by email address. */
interface Who {
  readonly account?: string
}

function signIn(url: string, account: string): Promise<Answered> {
  return submit(url, { action: 'sign_in', email: account, password: sandboxCredentials.password })
}

/** Who signs in, and what is decided. */
type Decided = Who & { readonly action?: 'allow' | 'deny' }

/** Signs in and decides on pages of two steps; answers the redirect, or the page that stays. */
const consentAt =
  (usual: string) =>
  async (url: string, { account = usual, action = 'allow' }: Decided = {}): Promise<Answered> => {
    const page = await signIn(url, account)
    return page.status === 200 ? submit(url, { action, ticket: ticketIn(page) }) : page
  }

/** Consents at Gong. */
export const consentAtGong = consentAt(sandboxCredentials.administrator)
/** Consents at Shopify. */
export const consentAtShopify = consentAt(shopifyCredentials.owner)
/** Consents at Snowflake. */
export const consentAtSnowflake = consentAt(snowflakeCredentials.login)

/** What a person ticks at TikTok, and the code that is typed in. */
interface Ticked extends Who {
  /** Ids; none by default. */
  readonly advertisers?: readonly string[]
  /** Numbers of scopes; the page ticks all of them, so all by default. */
  readonly scopes?: readonly number[]
  readonly verificationCode?: string
}

const ticked = (page: Answered): readonly string[] =>
  [...page.text.matchAll(/name="scope" value="(\d+)" checked/g)].map(([, scope = '']) => scope)

/** Signs in at TikTok, ticks and confirms; answers the redirect, or the page that stays. */
export async function consentAtTiktok(url: string, choice: Ticked = {}): Promise<Answered> {
  const { account = tiktokCredentials.user, advertisers = [], verificationCode = tiktokCredentials.verificationCode } = choice
  const page = await signIn(url, account)
  if (page.status !== 200) return page
  const scope = choice.scopes?.map(String) ?? ticked(page)
  const verification = await submit(url, { action: 'continue', ticket: ticketIn(page), advertiser_id: advertisers, scope })
  return submit(url, { action: 'confirm', ticket: ticketIn(verification), verification_code: verificationCode })
}
