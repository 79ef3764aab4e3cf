import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  type ConversationIdentity,
  hashFirstAssistantResponse,
  hashUserMessage,
} from '../../../src/core/identity/hashes.ts'
import {
  createInitialConversationState,
  reduceSessionEvent,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { identifyConversation } from '../../../src/gateway/identify-session.ts'
import { allSessions, busSessions, claudeSessions, runSessions } from '../../checks/parity/sessions.ts'
import * as opencode from '../../wires/opencode/recordings.ts'
import { type Recording, recordings, replay } from '../../wires/recordings.ts'

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url))

type Side = SessionConversationState

function identify(
  state: SessionConversationState,
  conversationId: string,
  firstUserText?: string,
): ConversationIdentity | null {
  const options = { agentTypeHash: '0123456789abcdef', conversationId }
  return identifyConversation(state, firstUserText === undefined ? options : { ...options, firstUserText })
}

const idsOf = (...states: readonly Side[]): readonly string[] => [
  'main',
  ...new Set(states.flatMap(({ subagents }) => subagents.map(({ toolUseId }) => toolUseId))),
]

/** The conversations that have an identity, by id. */
const identified = (state: Side) =>
  idsOf(state).filter((conversationId) => identify(state, conversationId) !== null)

describe.each(allSessions)('$name', ({ live, stored }) => {
  const ids = idsOf(live, stored)

  it.each(ids)('has one identity from both sides, or none from one: %s', (id) => {
    const sides = [identify(live, id), identify(stored, id)].filter((identity) => identity !== null)
    expect(new Set(sides.map(({ conversationHash }) => conversationHash)).size).toBeLessThanOrEqual(1)
    expect(sides).toEqual(sides.map(() => sides[0]))
  })

  it.each(ids)('has one first response from both sides, or none from one: %s', (id) => {
    const sides = [identify(live, id, 'Go.'), identify(stored, id, 'Go.')].filter((each) => each !== null)
    expect(sides).toEqual(sides.map(() => sides[0]))
  })
})

describe('the sides that contain an identity', () => {
  it('the bus and the export of OpenCode: every conversation', () => {
    for (const { live, stored } of busSessions) {
      expect(identified(live)).toEqual(idsOf(live, stored))
      expect(identified(stored)).toEqual(idsOf(live, stored))
    }
  })

  it('lines of `opencode run`: none, as they have no prompts', () => {
    expect(runSessions.flatMap(({ live }) => identified(live))).toEqual([])
  })

  it('the files of Claude Code: every conversation with a text of the model', () => {
    const silent = claudeSessions.filter(({ stored }) => identified(stored).length < idsOf(stored).length)
    expect(silent.map(({ name }) => name)).toEqual(['08g-fatal-400'])
  })

  it('the stream of Claude Code: main, if it repeats the user’s prompt', () => {
    for (const { name, live, isReplaying } of claudeSessions)
      expect([name, identify(live, 'main') !== null]).toEqual([name, isReplaying])
  })

  it('the stream of Claude Code: subagents, if it forwards their text', () => {
    const forwarding = [
      '04-subagent-forward',
      '05-three-parallel-forward',
      '06-nested-forward',
      '07-background',
    ]
    for (const name of forwarding) {
      const { live, stored } = session(name)
      expect(identified(live)).toEqual(idsOf(live, stored).slice(1))
      expect(identified(live).length).toBeGreaterThan(0)
    }
    expect(identified(session('04b-subagent-default').live)).toEqual([])
  })

  it('a subagent without forwarded text has no live identity', () => {
    const { live, stored } = session('04b-subagent-default')
    const [, id = ''] = idsOf(stored)
    expect(identify(live, id)).toBeNull()
    expect(identify(live, id, 'Go.')).toBeNull()
    expect(identify(stored, id)).not.toBeNull()
  })

  it('with the prompt of the command line, the stream has the identity of the files', () => {
    const prompted = recordings.filter(({ name }) => promptOf(name) !== undefined && name !== '08g-fatal-400')
    expect(prompted.length).toBeGreaterThan(10)
    for (const { name } of prompted) {
      const { live, stored } = session(name)
      expect(identify(live, 'main', promptOf(name))).toEqual(identify(stored, 'main'))
    }
  })
})

// This reads the files without the code under test.
describe('main’s identity in the files of Claude Code', () => {
  it.each(recordings.filter(({ name }) => name !== '08g-fatal-400'))(
    'comes from its first texts: $name',
    (each) => {
      const identity = identify(replay(each.disk).state, 'main')
      const prompt = promptOf(each.name)
      if (prompt !== undefined) expect(identity?.firstUserMessageHash).toBe(hashUserMessage(prompt))
      expect(identity?.firstAssistantResponseHash).toBe(hashFirstAssistantResponse(firstText(each)))
    },
  )

  it('does not exist if every request failed', () => {
    const { live, stored } = session('08g-fatal-400')
    expect([identify(live, 'main'), identify(stored, 'main')]).toEqual([null, null])
    expect(identify(stored, 'main', 'Go.')).toBeNull()
  })

  it('stays the same after a session is resumed or compacted', () => {
    for (const name of ['09-resume', '10-compact'])
      expect(identify(session(name).stored, 'main')?.firstUserMessageHash).toBe(
        hashUserMessage(promptOf(name) ?? ''),
      )
  })

  it('uses the empty text if the first message only called a tool', () => {
    expect(identify(session('06-nested-forward').stored, 'main')?.firstAssistantResponseHash).toBe(
      'e3b0c44298fc1c14',
    )
  })
})

describe('main’s identity in the exports of OpenCode', () => {
  it.each(opencode.recordings)('comes from its first texts: $name', (each) => {
    const identity = identify(opencode.replay(each.disk).state, 'main')
    const messages = exportedMessages(each)
    const textIn = (role: string) =>
      (messages.find(({ info }) => info.role === role)?.parts ?? [])
        .filter(({ type, synthetic }) => type === 'text' && synthetic !== true)
        .map(({ text = '' }) => text)
    expect(identity?.firstUserMessageHash).toBe(hashUserMessage(textIn('user').join('\n')))
    expect(identity?.firstAssistantResponseHash).toBe(
      hashFirstAssistantResponse(textIn('assistant')[0] ?? ''),
    )
  })
})

// A client that asks after every event gets null or the final identity, and no other.
describe('during a stream', () => {
  const streams: readonly { readonly name: string; readonly events: readonly SessionEvent[] }[] = [
    ...recordings.map(({ name, stream }) => ({ name, events: replay(stream).events })),
    ...opencode.recordings.map(({ name, events }) => ({
      name: `${name} of OpenCode`,
      events: opencode.replay(events).events,
    })),
  ]

  it.each(streams)('an identity that is known does not change: $name', ({ events }) => {
    for (const firstUserText of [undefined, 'Go.']) {
      const known = new Map<string, string>()
      let state = createInitialConversationState()
      for (const event of events) {
        state = reduceSessionEvent(state, event)
        for (const id of idsOf(state)) {
          const hash = identify(state, id, firstUserText)?.conversationHash
          const before = known.get(id)
          if (before !== undefined) expect(hash).toBe(before)
          if (hash !== undefined) known.set(id, hash)
        }
      }
    }
  })
})

function session(name: string): (typeof claudeSessions)[number] {
  const found = claudeSessions.find((each) => each.name === name)
  if (!found) throw new RangeError(`no session ${name}`)
  return found
}

/** The prompt on the command line, if there is one. */
function promptOf(name: string): string | undefined {
  const { steps }: { readonly steps: readonly { readonly argv: readonly string[] }[] } = JSON.parse(
    readFileSync(join(fixtures, 'claude-code', name, 'meta.json'), 'utf8'),
  )
  const prompt = steps[0]?.argv[2]
  return prompt?.startsWith('--') === true ? undefined : prompt
}

interface Line {
  readonly type?: string
  readonly isSidechain?: boolean
  readonly message?: {
    readonly id?: string
    readonly model?: string
    readonly content?: readonly { readonly type: string; readonly text?: string }[]
  }
}

/** The first text of the first message in the session's own file. */
function firstText({ files, sessionPath }: Recording): string {
  const lines: readonly Line[] = (files[sessionPath] ?? '')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const modelLines = lines.filter(
    ({ type, isSidechain, message }) =>
      type === 'assistant' && isSidechain !== true && message?.model !== '<synthetic>',
  )
  const parts = modelLines.flatMap(({ message }) =>
    message?.id === modelLines[0]?.message?.id ? (message?.content ?? []) : [],
  )
  return parts.find(({ type }) => type === 'text')?.text ?? ''
}

interface Exported {
  readonly info: { readonly role: string }
  readonly parts: readonly { readonly type: string; readonly text?: string; readonly synthetic?: boolean }[]
}

function exportedMessages({ mainSession, files }: opencode.Recording): readonly Exported[] {
  const exports: readonly {
    readonly info: { readonly id: string }
    readonly messages: readonly Exported[]
  }[] = Object.values(files).map((text) => JSON.parse(text))
  return exports.find(({ info }) => info.id === mainSession)?.messages ?? []
}
