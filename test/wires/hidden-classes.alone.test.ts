import v8 from 'node:v8'
import { describe, expect, it } from 'vitest'
import { withChanges } from '../../src/core/json/fields.ts'
import { toSessionUpdates } from '../../src/entries/acp.ts'
import { agUiSource, toAgUiMessages } from '../../src/entries/ag-ui.ts'
import { toUIMessages } from '../../src/entries/ai-sdk.ts'
import { createInitialConversationState, reduceSessionEvent } from '../../src/entries/index.ts'
import { restore, snapshot } from '../../src/entries/sync.ts'
import { PersistentMap } from '../../src/reading/notes/persistent-map.ts'
import { sampleOf } from '../depth.ts'
import { write } from './ag-ui/carried.ts'
import { eventsOf, inputs, type RecordedInput } from './inputs.ts'
import { reloaded } from './saved.ts'

// `withChanges` says which copies have a hidden class of their own, and what they cost. Only V8 itself can compare the classes.
v8.setFlagsFromString('--allow-natives-syntax')
const haveSameClass = new Function('left', 'right', 'return %HaveSameMap(left, right)')
// V8 compiles the function at its first call, and needs the flag until then.
haveSameClass({}, {})
v8.setFlagsFromString('--no-allow-natives-syntax')

/** Code that has not run so often makes no clones yet. */
const ROUNDS = 5

/** Each form of a program has objects of the same kinds, so some of its recordings are read. */
const MOST_INPUTS = 24

/** The states between the messages of longer inputs are not compared, because that takes long. */
const SHORT = 60

/** AG-UI has no recordings of its own, so others are written as AG-UI. */
const agUiInputs = inputs
  .filter((_, at) => at % 16 === 0)
  .map((input): RecordedInput => {
    const { wire } = write(eventsOf(input), 5)
    return { name: input.name, architecture: 'ag-ui', source: agUiSource, messages: wire }
  })
const allInputs = [...inputs, ...agUiInputs]

describe.each([...new Set(allInputs.map(({ architecture }) => architecture))])('%s', (architecture) => {
  const ofFormat = sampleOf(
    allInputs.filter((input) => input.architecture === architecture),
    MOST_INPUTS,
  )

  it('makes objects with the same hidden classes each time that it reads an input', () => {
    for (let round = 0; round < ROUNDS; round += 1) for (const input of ofFormat) read(input)
    const different = new Set(ofFormat.flatMap((input) => [...differences(read(input), read(input))]))
    expect([...different]).toEqual([])
  })
})

it('copies with changes share a hidden class', () => {
  const items = Array.from({ length: 2000 }, (_, at) => ({ id: `i${at}`, at }))
  const [copy, other] = items.map((item) => withChanges<object>(item, { more: true })).slice(-2)
  expect(haveSameClass(copy, other)).toBe(true)
  expect(haveSameClass(copy, items[0])).toBe(false)
})

/** Returns all that a server or a page may hold of an input. */
function read(input: RecordedInput): object {
  const { source, messages } = input
  const { events, session } = source.read(source.open(), messages)
  const { state } = session
  return {
    events,
    session,
    live: [...liveSteps(input)].slice(messages.length > SHORT ? -1 : 0),
    stored: {
      session: reloaded(source, session),
      state: restore(JSON.parse(JSON.stringify(snapshot({ epoch: 'e', state, seq: 0 })))).state,
    },
    resumed: source.open(state),
    written: {
      acp: toSessionUpdates(state, { sessionId: 's' }),
      agUi: toAgUiMessages(state),
      aiSdk: toUIMessages(state),
    },
  }
}

/** Returns the session after each message, and the state that its events lead to one by one. */
function* liveSteps({ source, messages }: RecordedInput): Generator<object, void> {
  let [session, state] = [source.open(), createInitialConversationState()]
  for (const message of messages) {
    const reading = source.read(session, [message])
    session = reading.session
    state = reading.events.reduce(reduceSessionEvent, state)
    yield { session, state }
  }
}

/** Returns the places at which the values have objects of different hidden classes, with the fields there. */
function* differences(left: unknown, right: unknown, place = ''): Generator<string, void> {
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) return
  if (left === right) return
  if (left instanceof PersistentMap && right instanceof PersistentMap)
    yield* differences([...left.values()], [...right.values()], place)
  else if (Array.isArray(left) && Array.isArray(right))
    for (const [at, item] of left.entries()) yield* differences(item, right[at], `${place}[]`)
  else {
    if (!haveSameClass(left, right)) yield `${place}: ${Object.keys(left).join(', ')}`
    for (const [name, value] of Object.entries(left))
      yield* differences(value, Reflect.get(right, name), `${place}.${name}`)
  }
}
