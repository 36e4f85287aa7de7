/** Marks the texts of kinds that people brought themselves: models read them beside ours. */

import type { AgentKind } from './agent-source.ts'
import { toOneLine } from './answers/json.ts'

/** Stands in front of each sentence of such a kind. */
const mark = '(custom kind, not reviewed)'

const markText = (text: string): string => `${mark} ${toOneLine(text)}`

/** Marks what a kind says of itself, of its entities and of their actions. Names stay, because calls have them. */
export const markUnreviewed = (kind: AgentKind): AgentKind => ({
  ...kind,
  title: toOneLine(kind.title),
  description: markText(kind.description),
  entities: kind.entities.map((entity) => ({
    ...entity,
    description: markText(entity.description),
    actions: entity.actions.map((action) => ({ ...action, description: markText(action.description) })),
  })),
})
