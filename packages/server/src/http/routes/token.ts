import { endpoints, tokenAnswer, tokenRequest } from 'ferrule/wire'
import { challenged, readClientCredentials } from '../client-credentials.ts'
import { stoppedRead } from '../open-requests.ts'
import { openRoute } from '../route.ts'

/** Client credentials for a bearer token. */
export const createToken = openRoute({
  ...endpoints.createToken,
  auth: 'none',
  form: true,
  document: {
    id: 'createToken',
    tag: 'tokens',
    summary: 'Get a bearer token for client credentials',
    about: 'Takes JSON, or a form as RFC 6749 section 4.4 writes it; the client may authenticate with HTTP Basic instead.',
    body: tokenRequest,
    example: { client_id: '<client id>', client_secret: '<client secret>' },
    answer: { about: 'The token, valid for 15 minutes', schema: tokenAnswer },
    problems: ['invalid_client', 'organization_forbidden', 'validation_failed'],
  },
  async answer(exchange, { platform }) {
    exchange.whenStopped(stoppedRead)
    const credentials = readClientCredentials(exchange.body, exchange.header('authorization'))
    try {
      const organizationId = exchange.header('x-organization-id')
      return { json: await platform.tokens.issueApplicationToken({ ...credentials, organizationId }) }
    } catch (thrown) {
      throw challenged(thrown, credentials)
    }
  },
})
