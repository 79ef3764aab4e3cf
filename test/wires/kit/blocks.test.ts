import { describe, expect, it } from 'vitest'
import { createInitialConversationState, MAIN } from '../../../src/core/state/session.ts'
import { TranslationContext } from '../../../src/reading/context.ts'
import { declareNotes } from '../../../src/reading/notes/notes.ts'
import { abandonBlocks } from '../../../src/wires/kit/abandon.ts'
import { callBlock, noteBlock, reportUsage, resultBlock, show } from '../../../src/wires/kit/blocks.ts'
import { completeRequest, withdrawRequests } from '../../../src/wires/kit/requests.ts'

const NOTES = declareNotes({ source: 'kit', version: 1 }, {})
const open = () => new TranslationContext({ state: createInitialConversationState(), notes: NOTES.initial })
const call = { toolName: 'ls', toolUseId: 'c1', input: {}, messageId: 'm1' }
const note = noteBlock({ id: 'n1', subtype: 'retry', message: 'again' })

/** Returns the number of events of an action. */
function eventsOf(context: ReturnType<typeof open>, act: () => void): number {
  const before = context.finish().events.length
  act()
  return context.finish().events.length - before
}

describe('the blocks of the kit', () => {
  it('show a block once, until it changes', () => {
    const context = open()
    show(MAIN, note, context)
    expect(eventsOf(context, () => show(MAIN, note, context))).toBe(0)
    expect(eventsOf(context, () => show(MAIN, { ...note, message: 'once more' }, context))).toBe(1)
  })

  it('leave what the person took back, and the others of its message, on their branch', () => {
    const context = open()
    show(MAIN, callBlock(call), context)
    abandonBlocks({ id: 'r1', blockIds: ['c1'], data: {} }, context)
    for (const toolUseId of ['c1', 'c2'])
      expect(eventsOf(context, () => show(MAIN, callBlock({ ...call, toolUseId }), context))).toBe(0)
    expect(eventsOf(context, () => show('agent', callBlock(call), context))).toBe(1)
  })

  it('report the tokens of a message once, and none without a count', () => {
    const context = open()
    const report = (usage: object) => () => reportUsage(MAIN, { messageId: 'm1', usage, model: 'a' }, context)
    expect(
      [{}, { inputTokens: 1 }, { inputTokens: 1 }].map((each) => eventsOf(context, report(each))),
    ).toEqual([0, 1, 0])
  })

  it('end a result as its call has ended', () => {
    const result = { toolUseId: 'c1', output: '' }
    expect(resultBlock({ ...result, isError: true }).status).toBe('error')
    expect(resultBlock({ ...result, isError: false }).status).toBe('complete')
  })
})

it('the requests of the kit withdraw what is open, also if only the end of an input ended it', () => {
  const context = open()
  const asked = { type: 'request', id: 'q1', status: 'pending', kind: 'permission', title: 'ls' } as const
  context.turn.start()
  context.upsert(MAIN, { ...asked, toolUseId: 'c1' })
  context.endInput()
  expect(eventsOf(context, () => withdrawRequests(MAIN, 'c1', context))).toBeGreaterThan(0)
  expect(eventsOf(context, () => withdrawRequests(MAIN, 'c1', context))).toBe(0)
  const [request] = context.state.requestsOfCall(MAIN, 'c1')
  if (!request) throw new Error('no request')
  expect(eventsOf(context, () => completeRequest(request, { answer: 'allow' }, context))).toBe(1)
})
