import { describe, expect, it } from 'vitest'
import { asObject } from '../../../../src/core/json/values.ts'
import { isPrompt } from '../../../../src/core/state/block.ts'
import type { ConversationThread, SessionConversationState } from '../../../../src/entries/index.ts'
import { textsOf } from '../../recordings.ts'
import { answer, completed, type Message, main, prompt, readEvents, toLines } from '../messages.ts'
import { recordings, replay } from '../recordings.ts'

const promptsOf = ({ blocks }: ConversationThread) =>
  blocks.filter(isPrompt).map(({ timestamp, ...prompt }) => prompt)
const [created = {}, reported = {}, ...promptParts] = prompt
const [begun = {}, ...rest] = answer.map((event) => withParent(event, 'msg_01'))

/** The model's messages name the user message that they answer. */
function withParent(event: Message, parentID: string): Message {
  const properties = asObject(event.properties)
  if (event.type !== 'message.updated') return event
  return { ...event, properties: { ...properties, info: { ...asObject(properties.info), parentID } } }
}

// A client that joins right after the message's own event took the prompt for a text of the model.
describe('a prompt whose own event was missed', () => {
  it('is the prompt as soon as its own event is repeated, with its time', () => {
    const late = readEvents(created, ...promptParts, reported, begun, ...rest)
    expect(withoutTimes(late.state)).toEqual(withoutTimes(readEvents(...prompt, begun, ...rest).state))
    const later = readEvents(created, ...promptParts, begun, ...rest, reported)
    expect(withoutTimes(later.state)).toEqual(withoutTimes(readEvents(...prompt, begun, ...rest).state))
  })

  it('is the prompt at once if a part proves it', () => {
    const parts = [
      ...promptParts,
      main.userFile('msg_01', 'prt_02', 'text/plain', 'file:///a.txt'),
      main.userText('msg_01', 'prt_03', 'Called the Read tool.', { synthetic: true }),
    ]
    const { state, issues } = readEvents(created, ...parts)
    expect(promptsOf(state)).toEqual(promptsOf(readEvents(created, reported, ...parts).state))
    expect(textsOf(state)).toEqual([])
    expect(issues).toEqual([])
  })

  // Kilo shows its own work as a synthetic text of the model, and removes it. A reader that joined there took the whole message for a prompt.
  it.each([
    ['before', (text: Message, ...parts: readonly Message[]) => [text, ...parts]],
    ['after', (text: Message, ...parts: readonly Message[]) => [...parts, text]],
  ])('is no message of the model to which the program adds a text %s its parts', (_, inOrder) => {
    const note = main.userText('msg_90', 'prt_91', 'Preparing…', { synthetic: true })
    const parts = [main.stepStart('msg_90', 'prt_89'), main.tool('msg_90', 'prt_92', completed('done'))]
    const { state } = readEvents(created, ...inOrder(note, ...parts), main.partRemoved('msg_90', 'prt_91'))
    expect(state.blocks.map(({ type }) => type)).toEqual(['tool_use', 'tool_result'])
  })

  it.each(recordings)('is the prompt in $name', ({ events, mainSession }) => {
    const lines = events.trimEnd().split('\n')
    const whole = promptsOf(replay(events).state)
    const cuts = userMessagesOf(lines, mainSession)
    for (const [id, at] of cuts) {
      const opened = toLines([
        main.event('session.updated', { info: { id: mainSession }, sessionID: mainSession }),
      ])
      const { state } = replay(opened + lines.slice(at + 1).join('\n'))
      const shown = promptsOf(state)
      expect(shown).toEqual(whole.filter((prompt) => prompt.id >= id))
      expect(textsOf(state).filter((text) => whole.some(({ content }) => content === text))).toEqual([])
    }
  })
})

/** Returns the line at which each user message of a session is first reported. */
function userMessagesOf(lines: readonly string[], sessionId: string): ReadonlyMap<string, number> {
  const events = lines.map((line) => JSON.parse(line))
  const ids = events.map(({ type, properties }): string | undefined => {
    const { role, id, sessionID } = asObject(asObject(properties).info)
    return type === 'message.updated' && role === 'user' && sessionID === sessionId ? String(id) : undefined
  })
  return new Map(ids.flatMap((id, at) => (id !== undefined && ids.indexOf(id) === at ? [[id, at]] : [])))
}

/** The time of a turn's start is the prompt's, which came too late. */
function withoutTimes({ turn, ...state }: SessionConversationState) {
  return { ...state, turn: turn.status }
}
