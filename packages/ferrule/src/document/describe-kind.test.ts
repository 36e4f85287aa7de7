import { expect, test } from 'vitest'
import { drawRelations } from './describe-kind.ts'

const entity = (refers?: Readonly<Record<string, string>>) => ({
  about: 'For tests',
  key: ['id'],
  ...(refers === undefined ? {} : { refers }),
})

test('relations are drawn by what they lead to', () => {
  const [sentence, picture] = drawRelations({
    users: entity({ managerId: 'users' }),
    calls: entity({ hostId: 'users', 'parties[].userId': 'users' }),
    transcripts: entity({ callId: 'calls', textId: 'calls' }),
    texts: entity(),
  })
  expect(sentence?.text).toContain('refer to each other')
  expect(picture?.code?.split('\n')).toEqual([
    'users ◄─┬─ users        managerId',
    '        └─ calls        hostId',
    '                        parties[].userId',
    '',
    'calls ◄─── transcripts  callId',
    '                        textId',
  ])
})

test('nothing is drawn where nothing refers to anything', () => {
  expect(drawRelations({ texts: entity() })).toEqual([])
})
