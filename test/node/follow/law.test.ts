import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reduceSessionEvents } from '../../../src/core/reducer/reduce.ts'
import {
  createInitialConversationState,
  type SessionConversationState,
  TranscriptError,
} from '../../../src/entries/index.ts'
import { readSession } from '../../../src/entries/node.ts'
import { chooseSession } from '../../../src/node/follow/choose-session.ts'
import type { FollowedSession } from '../../../src/node/follow/followed-session.ts'
import { saveProgress } from '../../../src/node/follow/progress.ts'
import { depth } from '../../depth.ts'
import { earlierRecordings, recordings } from '../../wires/recordings.ts'
import {
  append,
  endedState,
  inNewFolder,
  type StoredSession,
  storedSession,
  type WritePlan,
  writePlans,
  writesOf,
} from './growing-session.ts'

/** Several conversations in one file and in several, large lines, and many kinds of lines. */
const NAMES = [
  '03-tools',
  '05-three-parallel-forward',
  '06-nested-forward',
  '07-background',
  '11a-killed-main',
  '13-hooks',
  '04b-subagent-default of 1.0.128',
  '05b-three-parallel-default of 2.0.77',
  '05b-three-parallel-default of 2.1.197',
]

const followed = [...recordings, ...earlierRecordings].filter(({ name }) => NAMES.includes(name))

/** The state of the files, or undefined while no reader recognizes them. */
async function stateOf(path: string): Promise<SessionConversationState | undefined> {
  try {
    return (await readSession(path)).state
  } catch (error) {
    if (error instanceof TranscriptError) return undefined
    throw error
  }
}

const progressOf = (session: FollowedSession) => saveProgress(session.place)

/** Follows the writes, and compares with a reading of the files after each write. */
async function followWrites(stored: StoredSession, plan: WritePlan, home: string): Promise<void> {
  const path = join(home, stored.path)
  let session: FollowedSession | undefined
  let folded = createInitialConversationState()
  for (const write of writesOf(stored, plan)) {
    await append(home, write)
    const state = await stateOf(path)
    if (state === undefined) continue
    session ??= await chooseSession(path)
    const change = await session?.read()
    if (!session || !change || !('folded' in change)) continue
    if (change.restart !== undefined) folded = createInitialConversationState()
    folded = reduceSessionEvents(folded, change.folded.events)
    expect(folded).toEqual(session.session.state)
    expect(await endedState(progressOf(session))).toEqual(state)
  }
  expect(await endedState(session && progressOf(session))).toEqual((await readSession(path)).state)
}

describe.each(followed.map((each) => [each.name, storedSession(each)] as const))('%s', (_, stored) => {
  it('is at every moment the session that its files hold, however the writes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(writePlans, (plan) => inNewFolder((home) => followWrites(stored, plan, home))),
      { numRuns: depth({ few: 1, all: 2 }), endOnFailure: true },
    )
  })
})
