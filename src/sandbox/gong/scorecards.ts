import { at } from '../at.ts'
import { idOf } from '../random.ts'
import type { Answer, ApiCall } from './answers.ts'
import { ok } from './answers.ts'
import { companyTime, day } from './time.ts'
import type { World } from './world.ts'

/** A question of a scorecard with the vendor's fields. */
export interface Question {
  readonly questionId: string
  readonly questionRevisionId: string
  readonly questionText: string
  readonly isOverall: boolean
  readonly updaterUserId: string
  readonly questionType: 'RANGE' | 'OPEN' | 'SINGLE_SELECT'
  readonly answerGuide: string | null
  readonly minRange: string | null
  readonly maxRange: string | null
  readonly answerOptions: readonly { readonly id: number; readonly text: string }[]
  readonly created: string
  readonly updated: string
}

/** A scorecard with the vendor's fields. */
export interface Scorecard {
  readonly scorecardId: string
  readonly scorecardName: string
  readonly workspaceId: string
  readonly enabled: boolean
  /** `-1` for a built-in scorecard. */
  readonly updaterUserId: string
  readonly created: string
  readonly updated: string
  readonly reviewMethod: 'MANUAL' | 'AUTOMATIC'
  readonly questions: readonly Question[]
}

const names = [
  'Discovery',
  'Demo quality',
  'Onboarding call',
  'Objection handling',
  'Kaltakquise – Prüfung',
  'Renewal',
  'Compliance',
  'Old checklist',
]
const questionTexts = ['Was the agenda agreed?', 'Were next steps set?', 'How well were questions answered?', 'Overall']
const options = [
  { id: 1, text: 'Yes' },
  { id: 2, text: 'Partly' },
  { id: 3, text: 'No' },
]

function createQuestion(world: World, scorecard: number, index: number): Question {
  const random = world.random('question', scorecard, index)
  const isOverall = index === questionTexts.length - 1
  const questionType = isOverall ? 'RANGE' : random.pick(['RANGE', 'RANGE', 'OPEN', 'SINGLE_SELECT'] as const)
  const range = questionType === 'RANGE'
  const created = Date.UTC(2022, 5, 1, 18) + random.int(0, 200) * day
  return {
    questionId: idOf(world.seed, 'question', scorecard, index),
    questionRevisionId: idOf(world.seed, 'question revision', scorecard, index),
    questionText: at(questionTexts, index),
    isOverall,
    updaterUserId: scorecard < 2 ? '-1' : random.pick(world.users).id,
    questionType,
    answerGuide: random.chance(0.3) ? 'Listen to the first five minutes' : null,
    minRange: range ? '1' : null,
    maxRange: range ? '5' : null,
    answerOptions: questionType === 'SINGLE_SELECT' ? options : [],
    created: companyTime(created, 6),
    updated: companyTime(created + random.int(0, 300) * day, 6),
  }
}

/** All scorecards: of every workspace, enabled or not, manual and automatic ones. */
export function scorecardsOf(world: World): readonly Scorecard[] {
  return names.map((scorecardName, index) => {
    const random = world.random('scorecard', index)
    const created = Date.UTC(2022, 4, 2, 17) + random.int(0, 200) * day
    return {
      scorecardId: idOf(world.seed, 'scorecard', index),
      scorecardName,
      workspaceId: at(world.workspaces, index % 3).id,
      enabled: index !== names.length - 1,
      updaterUserId: index < 2 ? '-1' : random.pick(world.users).id,
      created: companyTime(created, 6),
      updated: companyTime(created + random.int(0, 400) * day, 3),
      reviewMethod: index % 4 === 2 ? 'AUTOMATIC' : 'MANUAL',
      questions: questionTexts.map((_, question) => createQuestion(world, index, question)),
    }
  })
}

/** GET /v2/settings/scorecards: takes no parameter, so a workspace in the query changes nothing. */
export function listScorecards(call: ApiCall): Answer {
  return ok({ scorecards: scorecardsOf(call.state.world) })
}
