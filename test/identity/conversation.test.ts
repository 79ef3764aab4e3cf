import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type ConversationIdentity,
  type IdentifyOptions,
  identifyConversation,
} from '../../src/identity/conversation.ts'
import type {
  BlockStatus,
  IncomingBlock,
  SessionConversationState,
  SessionEvent,
  UserMessageBlock,
} from '../../src/index.ts'
import {
  complete,
  delta,
  fold,
  idle,
  remove,
  resume,
  spawn,
  statesOf,
  upsert,
  usage,
} from '../reducer/example.ts'

const agentTypeHash = '0123456789abcdef'
const identify = (state: SessionConversationState, options: Partial<IdentifyOptions> = {}) =>
  identifyConversation(state, { agentTypeHash, ...options })

const digits = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** What RFC 00033 makes of a first prompt and a first response. */
function identityOf(prompt: string, response: string): ConversationIdentity {
  const firstUserMessageHash = digits(prompt)
  const firstAssistantResponseHash = digits(response)
  const conversationHash = digits(agentTypeHash + firstUserMessageHash + firstAssistantResponseHash)
  return { agentTypeHash, firstUserMessageHash, firstAssistantResponseHash, conversationHash }
}

const EMPTY = 'e3b0c44298fc1c14'

/** A block of a model's message: its id is the message's and a number. */
const part = (id: string) => ({ id, messageId: id.split(':')[0] ?? id })

const user = (id: string, content: UserMessageBlock['content'], fields: Partial<UserMessageBlock> = {}) =>
  upsert({ id, type: 'user_message', status: 'complete', content, ...fields }, fields.conversationId)
const said = (id: string, content: string, conversationId = 'main', status: BlockStatus = 'complete') =>
  upsert({ ...part(id), type: 'assistant_text', status, content }, conversationId)
const thought = (id: string, conversationId = 'main') =>
  upsert({ ...part(id), type: 'thinking', status: 'complete', content: 'hm' }, conversationId)
const called = (id: string, conversationId = 'main') =>
  upsert(
    { ...part(id), type: 'tool_use', status: 'pending', toolName: 'Read', toolUseId: id, input: {} },
    conversationId,
  )
const answered = (toolUseId: string): SessionEvent => {
  const block: IncomingBlock = {
    id: `${toolUseId}:result`,
    type: 'tool_result',
    status: 'complete',
    toolUseId,
    output: 'out',
    isError: false,
  }
  return upsert(block)
}

describe('the first prompt', () => {
  it('is what the person wrote first', () => {
    const state = fold(user('u1', 'Go.'), said('m1:0', 'Done.'), user('u2', 'More.'), said('m2:0', 'Yes.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })

  it('is trimmed', () => {
    expect(identify(fold(user('u1', '\ufeff\n Go. \u2003'), said('m1:0', 'Done.')))).toEqual(
      identityOf('Go.', 'Done.'),
    )
  })

  it('is the first of two in a row', () => {
    const state = fold(user('u1', 'Go.'), user('u2', 'Wait.'), said('m1:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })

  it('joins the parts that are text, and skips the others', () => {
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } } as const
    const file = { type: 'file', name: 'a.txt', source: { type: 'url', url: 'file:///a.txt' } } as const
    const parts = [image, { type: 'text', text: ' One' }, file, { type: 'text', text: 'two ' }] as const
    expect(identify(fold(user('u1', parts), said('m1:0', 'Done.')))).toEqual(identityOf('One\ntwo', 'Done.'))
  })

  it('is one text, whether it came as parts or as a string', () => {
    const asParts = fold(user('u1', [{ type: 'text', text: 'Go.' }]), said('m1:0', 'Done.'))
    expect(identify(asParts)).toEqual(identify(fold(user('u1', 'Go.'), said('m1:0', 'Done.'))))
  })

  it.each<[name: string, content: UserMessageBlock['content']]>([
    ['no text', ''],
    ['an image alone', [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]],
    ['no parts', []],
  ])('is the empty text where there is %s', (_, content) => {
    expect(identify(fold(user('u1', content), said('m1:0', 'Done.')))?.firstUserMessageHash).toBe(EMPTY)
  })

  it.each(['command', 'notification', 'summary', 'meta'] as const)(
    'is none that the program wrote: %s',
    (origin) => {
      const state = fold(user('p', 'Caveat.', { origin }), user('u1', 'Go.'), said('m1:0', 'Done.'))
      expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
      expect(identify(fold(user('p', 'Caveat.', { origin }), said('m1:0', 'Done.')))).toBeNull()
    },
  )

  it('may stand behind what the program notes', () => {
    const note = upsert({ id: 'n', type: 'system', status: 'complete', subtype: 'hook', message: 'Started.' })
    const skill = upsert({
      id: 's',
      type: 'skill_load',
      status: 'complete',
      skillName: 'x',
      content: 'Text.',
    })
    const failure = upsert({ id: 'e', type: 'error', status: 'error', message: 'Overloaded.' })
    const state = fold(note, skill, user('u1', 'Go.'), failure, note, said('m1:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })

  it('is not known where the model spoke first: a later prompt is another', () => {
    expect(identify(fold(said('m1:0', 'Done.'), user('u2', 'More.'), said('m2:0', 'Yes.')))).toBeNull()
    expect(identify(fold(thought('m1:0'), user('u2', 'More.'), said('m1:1', 'Done.')))).toBeNull()
  })

  it('may be told by somebody who knows it', () => {
    const unknown = fold(said('m1:0', 'Done.'), user('u2', 'More.'))
    expect(identify(unknown, { firstUserText: ' Go. ' })).toEqual(identityOf('Go.', 'Done.'))
    expect(identify(unknown, { firstUserText: '' })).toEqual(identityOf('', 'Done.'))
  })

  it('is taken from who tells it before it is taken from the state', () => {
    const state = fold(
      user('u1', 'wrapped: Go.'),
      said('m1:0', 'Done.'),
      spawn('S'),
      said('s1:0', 'One.', 'S'),
    )
    expect(identify(state, { firstUserText: 'Go.' })).toEqual(identityOf('Go.', 'Done.'))
    expect(identify(state, { firstUserText: 'Go.', conversationId: 'S' })).toEqual(identityOf('Go.', 'One.'))
  })
})

describe('the first response', () => {
  const asked = user('u1', 'Go.')

  it('is not there yet', () => {
    expect(identify(fold())).toBeNull()
    expect(identify(fold(asked))).toBeNull()
    expect(identify(fold(), { firstUserText: 'Go.' })).toBeNull()
  })

  it('is not there while its text is streaming, and there at its end', () => {
    const states = statesOf([
      asked,
      said('m1:0', '', 'main', 'pending'),
      delta('m1:0', 'Do'),
      usage('m1', 1, { final: false }),
      delta('m1:0', 'ne.'),
      said('m1:0', 'Done.'),
      usage('m1', 5),
    ])
    expect(states.map((state) => identify(state))).toEqual([
      ...[null, null, null, null, null, null],
      ...[identityOf('Go.', 'Done.'), identityOf('Go.', 'Done.')],
    ])
  })

  it('is there when a turn ends that left it open', () => {
    const state = fold(asked, said('m1:0', 'Do', 'main', 'pending'), idle())
    expect(identify(state)).toEqual(identityOf('Go.', 'Do'))
  })

  it('is what was said of it where it failed', () => {
    expect(identify(fold(asked, said('m1:0', 'Do', 'main', 'error')))).toEqual(identityOf('Go.', 'Do'))
  })

  it('is the first text of the first message, behind its thinking and its calls', () => {
    const state = fold(
      asked,
      thought('m1:0'),
      called('m1:1'),
      said('m1:2', 'First.'),
      said('m1:3', 'Second.'),
    )
    expect(identify(state)).toEqual(identityOf('Go.', 'First.'))
  })

  it('is trimmed, and cut after 500 UTF-16 units', () => {
    const long = `\n ${'a'.repeat(499)}😀 and more`
    expect(identify(fold(asked, said('m1:0', long)))).toEqual(identityOf('Go.', `${'a'.repeat(499)}\ufffd`))
  })

  it('does not change with what comes behind 500 units', () => {
    const state = (end: string) => fold(asked, said('m1:0', 'a'.repeat(500) + end))
    expect(identify(state('b'))).toEqual(identify(state('c')))
  })

  it('is the empty text where the text is empty', () => {
    expect(identify(fold(asked, said('m1:0', '')))).toEqual(identityOf('Go.', ''))
    expect(identify(fold(asked, said('m1:0', ' \n')))?.firstAssistantResponseHash).toBe(EMPTY)
  })

  it('is the empty text where the first message is calls only, and known to have ended', () => {
    const calls = [asked, called('m1:0'), called('m1:1')]
    expect(identify(fold(...calls, usage('m1', 5)))).toEqual(identityOf('Go.', ''))
    expect(identify(fold(...calls, usage('m1', 5), answered('m1:0'), said('m2:0', 'Done.')))).toEqual(
      identityOf('Go.', ''),
    )
  })

  it('is the empty text where the first message starts a subagent and says nothing', () => {
    const state = fold(asked, spawn('S', { messageId: 'm1' }), usage('m1', 5), said('m2:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', ''))
  })

  it('is never the second message’s text, though the first one’s is not known', () => {
    const state = fold(asked, called('m1:0'), answered('m1:0'), said('m2:0', 'Done.'), usage('m2', 5))
    expect(identify(state)).toBeNull()
    expect(identify(fold(asked, called('m1:0'), usage('m1', 1, { final: false })))).toBeNull()
  })

  it('does not take the end of another message, or of another conversation, for its own', () => {
    const state = fold(
      spawn('S'),
      asked,
      called('m1:0'),
      usage('m2', 5),
      usage('m1', 5, { conversationId: 'S' }),
    )
    expect(identify(state)).toBeNull()
  })

  it('stays what it was, whatever comes later', () => {
    const identity = identityOf('Go.', 'Done.')
    const later = [
      user('u2', 'More.'),
      said('m2:0', 'Yes.'),
      said('m1:1', 'And.'),
      usage('m1', 7),
      spawn('S'),
      user('c', 'Summary.', { origin: 'summary' }),
      idle(),
    ]
    const states = statesOf([asked, said('m1:0', 'Done.'), ...later]).slice(2)
    expect(states.map((state) => identify(state))).toEqual(states.map(() => identity))
  })

  it('is the next one where the first was taken back', () => {
    const state = fold(asked, said('m1:0', 'Oops.'), remove('m1:0'), said('m2:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })
})

describe('a subagent', () => {
  it('is found by its call, and by its own id', () => {
    const state = fold(spawn('S', { agentId: 'a', prompt: 'Look.' }), said('s1:0', 'Seen.', 'S'))
    expect(identify(state, { conversationId: 'S' })).toEqual(identityOf('Look.', 'Seen.'))
    expect(identify(state, { conversationId: 'a' })).toEqual(identityOf('Look.', 'Seen.'))
  })

  it.each(['unknown', '', '__proto__', 'constructor'])(
    'that is not there has no identity: %j',
    (conversationId) => {
      expect(identify(fold(user('u1', 'Go.'), said('m1:0', 'Done.')), { conversationId })).toBeNull()
    },
  )

  it('may be called like a key of every object', () => {
    const state = fold(spawn('__proto__', { prompt: 'Look.' }), said('s1:0', 'Seen.', '__proto__'))
    expect(identify(state, { conversationId: '__proto__' })).toEqual(identityOf('Look.', 'Seen.'))
  })

  it('was told what its own first message says, where its call is not known', () => {
    const state = fold(
      user('S:prompt', 'Look.', { conversationId: 'S' }),
      said('s1:0', 'Seen.', 'S'),
      user('x', 'More.', { conversationId: 'S' }),
    )
    expect(identify(state, { conversationId: 'S' })).toEqual(identityOf('Look.', 'Seen.'))
  })

  it('has the same identity, whether its prompt is in its own conversation too or not', () => {
    const spawned = spawn('S', { prompt: 'Look.' })
    const withPrompt = fold(
      spawned,
      user('S:prompt', 'Look.', { conversationId: 'S' }),
      said('s1:0', 'Seen.', 'S'),
    )
    const without = fold(spawned, said('s1:0', 'Seen.', 'S'))
    expect(identify(withPrompt, { conversationId: 'S' })).toEqual(identify(without, { conversationId: 'S' }))
  })

  it('has none while nobody knows its prompt', () => {
    const state = fold(said('s1:0', 'Seen.', 'S'), user('x', 'More.', { conversationId: 'S' }))
    expect(identify(state, { conversationId: 'S' })).toBeNull()
    expect(
      identify(fold(spawn('S', { prompt: '' }), said('s1:0', 'Seen.', 'S')), { conversationId: 'S' }),
    ).toBeNull()
  })

  it('has none where its text is not carried, though it has come to its end', () => {
    const state = fold(
      spawn('S'),
      called('s1:0', 'S'),
      usage('s1', 1, { conversationId: 'S', final: false }),
      complete('S', { output: 'Seen.' }),
    )
    expect(identify(state, { conversationId: 'S' })).toBeNull()
    expect(identify(fold(spawn('S'), complete('S', { output: 'Seen.' })), { conversationId: 'S' })).toBeNull()
  })

  it('keeps its identity when it is resumed', () => {
    const first = [
      spawn('S', { prompt: 'Look.', runId: '1' }),
      said('s1:0', 'Seen.', 'S'),
      complete('S', { runId: '1' }),
    ]
    const again = [
      resume('S', { prompt: 'Look again.', runId: '2' }),
      user('x', 'Look again.', { conversationId: 'S' }),
      said('s2:0', 'Seen again.', 'S'),
      complete('S', { runId: '2' }),
    ]
    const states = statesOf([...first, ...again]).slice(2)
    expect(states.map((state) => identify(state, { conversationId: 'S' }))).toEqual(
      states.map(() => identityOf('Look.', 'Seen.')),
    )
  })

  it('has the identity of its twin: same prompt, same answer', () => {
    const state = fold(spawn('S'), spawn('T'), said('s1:0', 'Seen.', 'S'), said('t1:0', 'Seen.', 'T'))
    expect(identify(state, { conversationId: 'S' })).toEqual(identify(state, { conversationId: 'T' }))
  })
})

describe('a forked agent', () => {
  const main = [user('u1', 'Go.'), said('m1:0', 'I fork.'), called('m1:1'), usage('m1', 5)]
  const copy = (conversationId: string) => [
    said('m1:0', 'I fork.', conversationId),
    called('m1:1', conversationId),
    usage('m1', 5, { conversationId }),
  ]
  const forked = (conversationId: string, parent: string) =>
    spawn(conversationId, { conversationId: parent, prompt: 'Look.', messageId: 'm1' })

  it('begins with its own words, not with its copy of its parent’s', () => {
    const state = fold(...main, forked('F', 'main'), ...copy('F'), said('f1:0', 'Seen.', 'F'))
    expect(identify(state, { conversationId: 'F' })).toEqual(identityOf('Look.', 'Seen.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'I fork.'))
  })

  it('has no identity while it has said nothing of its own', () => {
    expect(identify(fold(...main, forked('F', 'main'), ...copy('F')), { conversationId: 'F' })).toBeNull()
  })

  it('does not take its parent’s end for its own', () => {
    const state = fold(...main, forked('F', 'main'), ...copy('F'), called('f1:0', 'F'))
    expect(identify(state, { conversationId: 'F' })).toBeNull()
  })

  it('may come of a fork', () => {
    const state = fold(
      ...main,
      forked('F', 'main'),
      ...copy('F'),
      said('f1:0', 'Seen.', 'F'),
      forked('G', 'F'),
      ...copy('G'),
      said('f1:0', 'Seen.', 'G'),
      said('g1:0', 'Deeper.', 'G'),
    )
    expect(identify(state, { conversationId: 'G' })).toEqual(identityOf('Look.', 'Deeper.'))
  })

  it('is another conversation than its sibling', () => {
    const state = fold(
      ...main,
      forked('F', 'main'),
      forked('G', 'main'),
      ...copy('F'),
      ...copy('G'),
      said('f1:0', 'Left.', 'F'),
      said('g1:0', 'Right.', 'G'),
    )
    expect(identify(state, { conversationId: 'F' })).toEqual(identityOf('Look.', 'Left.'))
    expect(identify(state, { conversationId: 'G' })).toEqual(identityOf('Look.', 'Right.'))
  })
})

describe('the state', () => {
  it('is not changed, and may be frozen or come as JSON', () => {
    const state = fold(user('u1', 'Go.'), said('m1:0', 'Done.'), spawn('S'), said('s1:0', 'Seen.', 'S'))
    const text = JSON.stringify(state)
    const copy: SessionConversationState = JSON.parse(text)
    for (const conversationId of ['main', 'S'])
      expect(identify(copy, { conversationId })).toEqual(identify(state, { conversationId }))
    expect(JSON.stringify(state)).toBe(text)
    expect(JSON.stringify(copy)).toBe(text)
  })

  it('may be large: a session of 20,000 blocks', () => {
    const blocks = Array.from({ length: 10_000 }, (_, at) => [
      user(`u${at}`, 'More.'),
      said(`n${at}:0`, 'Yes.'),
    ])
    const state = fold(user('u', 'Go.'), said('m1:0', 'Done.'), ...blocks.flat())
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })
})

describe('the agent type', () => {
  it('is part of the identity: one prompt and answer are two conversations for two kinds of agents', () => {
    const state = fold(user('u1', 'Go.'), said('m1:0', 'Done.'))
    const other = identify(state, { agentTypeHash: 'fedcba9876543210' })
    expect(other?.agentTypeHash).toBe('fedcba9876543210')
    expect(other?.conversationHash).not.toBe(identify(state)?.conversationHash)
    expect(other?.firstUserMessageHash).toBe(identify(state)?.firstUserMessageHash)
  })
})
