/** The example of the reference libraries of Standard Webhooks: a secret, a message and its signature. */
import { expect, test } from 'vitest'
import { signWebhook } from '../../packages/ferrule/src/client/webhook-signature.ts'
import { verifyWebhook } from '../../packages/ferrule/src/index.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const body = '{"test": 2432232314}'
const now = 1_614_265_330_000
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('a message is signed as the reference libraries of Standard Webhooks sign it', async () => {
  expect(await signWebhook({ id, body }, [secret], now)).toMatchObject({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  })
})

test('a message that a reference library has signed is taken', async () => {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': `v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= ${signature}`,
  }
  expect(await verifyWebhook({ body, headers, secret, now })).toEqual({ test: 2_432_232_314 })
})
