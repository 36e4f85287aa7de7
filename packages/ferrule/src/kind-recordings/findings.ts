/** What a test of recordings finds, each with its place. */
import type { Place } from '../kind-file/mistakes.ts'
import { nameRecording, type Recording } from './recording.ts'

/** One thing that was found. */
export interface Finding extends Place {
  /** `failure`: the kind or its recordings are wrong. `note`: worth a look. */
  readonly is: 'failure' | 'note'
  readonly file: string
  /** Entity and action, and the name of the recording. */
  readonly call: string
  readonly message: string
}

/** The files that findings are about. */
export interface TestedFiles {
  readonly kind: string
  readonly recordings: string
  /** Finds the place of a part of the kind's file. */
  findPlace(...steps: readonly string[]): Place
}

/** Collects findings. */
export class FindingList {
  readonly all: Finding[] = []
  readonly #files: TestedFiles

  constructor(files: TestedFiles) {
    this.#files = files
  }

  fail(recording: Recording, ...messages: readonly string[]): void {
    const place = { file: this.#files.recordings, ...recording.at, call: nameRecording(recording) }
    this.all.push(...messages.map((message): Finding => ({ is: 'failure', ...place, message })))
  }

  /** Adds a finding about a part of the kind's file. */
  addOfKind(is: Finding['is'], { entity, action }: { readonly entity: string; readonly action?: string }, message: string): void {
    const steps = ['entities', entity, ...(action === undefined ? [] : [action])]
    const call = action === undefined ? entity : `${entity}.${action}`
    this.all.push({ is, file: this.#files.kind, ...this.#files.findPlace(...steps), call, message })
  }
}
