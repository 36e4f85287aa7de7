/** Asks before the reader leaves a form with changes. */
import { useSyncExternalStore } from 'react'
import { leaveQuestion } from '../data/leaving.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'

/** Shows the question; the frame has it once. */
export function LeaveQuestion() {
  const leave = useSyncExternalStore(leaveQuestion.subscribe, leaveQuestion.read)
  return (
    <ConfirmDialog
      opened={leave !== undefined}
      title="Leave without storing?"
      action="Leave"
      onConfirm={() => leave?.()}
      onClose={leaveQuestion.stay}
    >
      What you entered is not stored yet. It is lost when you leave.
    </ConfirmDialog>
  )
}
