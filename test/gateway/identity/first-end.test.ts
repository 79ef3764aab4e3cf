import { describe, expect, it } from 'vitest'
import type { SessionConversationState, SessionEvent } from '../../../src/entries/index.ts'
import { fold, spawn, upsert, usage } from '../../core/reducer/example.ts'
import {
  assistantMessage,
  blockStart,
  finalAnswer,
  fromSubagent,
  init,
  interruptionMessage,
  type Message,
  messageStart,
  modelCalls,
  modelLaunches,
  modelSays,
  readFiles,
  readStream,
  text,
  textDelta,
  toolResult,
  toolUse,
  turnResult,
  userMessage,
} from '../../wires/claude/messages.ts'
import { called, identify, identityOf, reply, user } from './prompts-and-responses.ts'

const claude: SessionEvent = { type: 'session:updated', facts: { program: 'claude-code' } }
const asked = user('u1', 'Go.')
const prompt = userMessage('Go.')
const replayed = userMessage('Go.', { isReplay: true, uuid: 'u1' })
const call = modelCalls('m1', 't1')
const result = toolResult('t1', 'out')
const identityIn = ({ state }: { readonly state: SessionConversationState }, conversationId = 'main') =>
  identify(state, { conversationId })

// Files of 1.0 and 2.0 seldom state a message's stop reason, so its tokens are never final.
describe('a first response of calls alone, in a file without final tokens', () => {
  it('has ended once the model writes another message', () => {
    expect(identityIn(readFiles([prompt, call, result]))).toBeNull()
    const second = modelSays('m2', 'Done.')
    expect(identityIn(readFiles([prompt, call, result, second]))).toEqual(identityOf('Go.', ''))
    const more = modelCalls('m2', 't2')
    expect(identityIn(readFiles([prompt, call, result, more]))).toEqual(identityOf('Go.', ''))
  })

  it('ends with the next message in Claude Code, and in a program that is unknown', () => {
    const events = [asked, called('m1:0'), reply('m2:0', 'Done.')]
    expect(identify(fold(claude, ...events))).toEqual(identityOf('Go.', ''))
    expect(identify(fold(...events))).toEqual(identityOf('Go.', ''))
  })

  it('has not ended with a text of the same message', () => {
    const events = [claude, asked, called('m1:0'), reply('m1:1', 'Done.')]
    expect(identify(fold(...events))).toEqual(identityOf('Go.', 'Done.'))
  })

  const look = (part: Message, id: string) => assistantMessage(id, part, fromSubagent('S'))
  const agent = [init, modelLaunches('m1', 'S'), look(toolUse('a1'), 's1')]
  const seen = [...agent, toolResult('a1', 'out', fromSubagent('S'))]

  it('ends in a subagent with a later message that has text', () => {
    expect(identityIn(readStream(...seen, look(text('Seen.'), 's2')), 'S')).toEqual(identityOf('Do S.', ''))
  })

  it('is unknown in a subagent whose texts the stream does not forward', () => {
    expect(identityIn(readStream(...seen, look(toolUse('a2'), 's2')), 'S')).toBeNull()
  })

  it('is unknown in a subagent of which the stream forwards a later run alone', () => {
    const again = user('x', 'More.', { conversationId: 'S' })
    const first = [claude, spawn('S', { prompt: 'Look.', messageId: 'm1' }), called('s1:0', 'S')]
    expect(identify(fold(...first, again, reply('s2:0', 'Yes.', 'S')), { conversationId: 'S' })).toBeNull()
  })
})

const interrupted = upsert({
  id: 'i',
  type: 'system',
  status: 'complete',
  subtype: 'interruption',
  message: '[Request interrupted by user]',
})
const early = usage('m1', 1, { final: false })

// The stream has the cut text, and the file has nothing of it: each side gave another hash.
describe('a first response that a person stopped', () => {
  const more = userMessage('More.', { uuid: 'u2', isReplay: true })
  const counted = { usage: { input_tokens: 9, output_tokens: 1 } }
  const start = messageStart('m1', counted.usage)
  const cut = [init, replayed, start, blockStart('m1', 0, text('')), textDelta('m1', 0, 'Hel')]
  const stopped = [
    ...cut,
    interruptionMessage,
    turnResult({ is_error: true, subtype: 'error_during_execution' }),
  ]
  const answered = assistantMessage('m2', text('Done.'), {}, { stop_reason: 'end_turn' })

  it('gives no hash, live or stored', () => {
    expect(identityIn(readStream(...stopped))).toBeNull()
    expect(identityIn(readStream(...stopped, init, more, answered, turnResult()))).toBeNull()
    expect(identityIn(readFiles([prompt, interruptionMessage]))).toBeNull()
    expect(identityIn(readFiles([prompt, interruptionMessage, more, finalAnswer]))).toBeNull()
  })

  it('gives no hash if the stream ends in the middle of the text', () => {
    expect(identityIn(readStream(...cut))).toBeNull()
  })

  it('gives a hash if both sides keep the text, as from 2.1.330 on', () => {
    const kept = assistantMessage('m1', text('Hel'), { aborted: true }, counted)
    const onDisk = assistantMessage('m1', text('Hel'), { isAbortedMidStream: true }, counted)
    const hash = identityOf('Go.', 'Hel')
    expect(identityIn(readStream(...cut, kept, interruptionMessage))).toEqual(hash)
    expect(identityIn(readFiles([prompt, onDisk, interruptionMessage]))).toEqual(hash)
  })

  it('gives a hash if the person stopped a later message, or a call', () => {
    const hash = identityOf('Go.', 'Done.')
    expect(identify(fold(asked, reply('m1:0', 'Done.'), usage('m1', 5), interrupted))).toEqual(hash)
    expect(identify(fold(asked, reply('m1:0', 'Done.'), early, called('m1:1'), interrupted))).toEqual(hash)
  })

  it('gives no hash if the request failed in the middle of the text', () => {
    const failed = upsert({ id: 'e', type: 'error', status: 'error', message: 'API Error' })
    expect(identify(fold(asked, reply('m1:0', 'Do'), early, failed))).toBeNull()
  })
})
