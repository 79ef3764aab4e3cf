import { describe, expect, it } from 'vitest'
import { ofType, textsOf } from '../recordings.ts'
import { answer, completed, main, prompt } from './messages.ts'
import { replay } from './recordings.ts'
import { toExports } from './stored.ts'

const [exported = {}] = toExports([
  ...prompt,
  main.assistantStart('msg_10'),
  main.wholeText('msg_10', 'prt_10', 'First.'),
  main.tool('msg_10', 'prt_11', completed('one')),
  main.tool('msg_10', 'prt_12', completed('two')),
  main.stepFinish('msg_10', 'prt_13', { cost: 0.5 }),
  main.assistantEnd('msg_10', { finish: 'tool-calls' }),
  ...answer,
])

/** Reads the export after the ids that match were hidden, as in files that people publish. */
const readHidden = (ids: RegExp) => replay(JSON.stringify(exported).replaceAll(ids, 'REDACTED'))

// Tools that hide secrets write one word for many ids. Parts with equal ids then replaced each other silently.
describe('an export with equal ids', () => {
  const before = replay(JSON.stringify(exported))

  it.each([
    ['of parts', /prt_\d+/g],
    ['of parts and their messages', /(?:prt|msg)_\d+/g],
    ['of parts, messages and calls', /(?:call-prt|prt|msg)_\d+/g],
    ['of parts and their calls', /(?:call-)?prt_\d+/g],
    ['of a message and a later part', /msg_01|prt_90/g],
  ])('%s shows every part once', (_, ids) => {
    const { state, issues } = readHidden(ids)
    expect(textsOf(state)).toEqual(['First.', 'Answer.'])
    expect(state.blocks.map(({ type }) => type)).toEqual(before.state.blocks.map(({ type }) => type))
    expect(ofType(state, 'tool_result').map(({ output }) => output)).toEqual(['one', 'two'])
    expect(state.session.costUsd).toBe(before.state.session.costUsd)
    expect(issues).toEqual([])
  })
})
