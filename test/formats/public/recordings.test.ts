import { expect, it } from 'vitest'
import { expectedOutcome, outcomeOf, publicRecordings } from './recording.ts'

const recordings = [...publicRecordings('claude-code'), ...publicRecordings('opencode')]

it.each(recordings.map((recording) => [recording.name, recording] as const))(
  'the public recording %s has the outcome that its raw lines prove',
  (_, recording) => {
    expect(outcomeOf(recording)).toEqual(expectedOutcome(recording))
  },
)
