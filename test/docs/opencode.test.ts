import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSessionHub, type SessionHub } from '../../src/entries/hub.ts'
import { createInitialConversationState, pendingRequests, sessionStatus } from '../../src/entries/index.ts'
import { createMemoryLog } from '../../src/server/log/memory-log.ts'
import {
  answer,
  child,
  delegation,
  type Message,
  main,
  prompt,
  readEvents,
  readOpenEvents,
  running,
} from '../wires/opencode/messages.ts'
import { ofType } from '../wires/recordings.ts'
import { examples, newExampleFolder } from './pages.ts'

const none = createInitialConversationState()

type Start = (hub: SessionHub, id: string, server: string) => Promise<void>

const folder = newExampleFolder()
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'opencode.ts')
writeFileSync(file, examples.find(({ code }) => code.includes('function startOpenCode('))?.code ?? '')
const { startOpenCode }: { startOpenCode: Start } = await import(file)

/** A server of OpenCode with one session, which outlives the hub that reads it. */
class OpenCode {
  readonly posts: string[] = []
  #stored: readonly Message[] = []
  #waiting: readonly unknown[] = []
  #isBusy = false
  #reader: ReadableStreamDefaultController<Uint8Array> | undefined

  emit(...events: readonly Message[]): void {
    this.#stored = [...this.#stored, ...events]
    for (const event of events) {
      const { type } = event
      if (type === 'permission.asked') this.#waiting = [event.properties]
      if (type === 'message.updated') this.#isBusy = true
      if (type === 'session.idle') this.#isBusy = false
      this.#reader?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
    }
  }

  /** It forgets which work it was at, and the session's messages stay as they are. */
  restart(): void {
    this.#isBusy = false
    this.#waiting = []
  }

  get isRead(): boolean {
    return this.#reader !== undefined
  }

  /** A hub that is killed hears no more, not even the end. */
  loseReader({ hasEnd }: { readonly hasEnd: boolean }): void {
    if (hasEnd) this.#reader?.close()
    this.#reader = undefined
  }

  fetch = async (address: URL, { method = 'GET' }: RequestInit = {}): Promise<Response> => {
    const { pathname } = address
    if (method === 'POST') {
      this.posts.push(pathname)
      return Response.json({ id: main.id })
    }
    if (pathname === '/session/status')
      return Response.json(this.#isBusy ? { [main.id]: { type: 'busy' } } : {})
    if (pathname === `/session/${main.id}/message`) return Response.json(this.#messages())
    if (pathname === '/permission') return Response.json(this.#waiting)
    if (pathname === '/question') return Response.json([])
    if (pathname !== '/event') return new Response(null, { status: 404 })
    return new Response(
      new ReadableStream({
        start: (reader) => {
          this.#reader = reader
        },
      }),
    )
  }

  #messages(): readonly unknown[] {
    const all = new Map<unknown, { info: unknown; parts: Map<unknown, unknown> }>()
    for (const { properties } of this.#stored) {
      const { info, part } = properties as { info?: Message; part?: Message }
      if (info?.role !== undefined) all.set(info.id, { info, parts: all.get(info.id)?.parts ?? new Map() })
      if (part) all.get(part.messageID)?.parts.set(part.id, part)
    }
    return [...all.values()].map(({ info, parts }) => ({ info, parts: [...parts.values()] }))
  }
}

const half = [...prompt, main.assistantStart('msg_90'), main.textStart('msg_90', 'prt_90', 'Ans')]
const calls = [...prompt, main.assistantStart('msg_10'), main.tool('msg_10', 'prt_10', running())]
const asked = main.event('permission.asked', {
  id: 'per_1',
  permission: 'bash',
  patterns: ['ls'],
  metadata: {},
  always: [],
  tool: { messageID: 'msg_10', callID: 'call-prt_10' },
})

describe.each(['is killed', 'is killed and then ends all sessions of its log', 'loses its stream'] as const)(
  'the documented startOpenCode, after the hub %s',
  (loss) => {
    it.each<
      [
        name: string,
        before: readonly Message[],
        meanwhile: readonly Message[],
        status: string,
        texts: string[],
      ]
    >([
      ['begins', [], [], 'idle', []],
      ['is at its prompt', [main.created()], [], 'idle', []],
      ['has answered', [...prompt, ...answer], [], 'finished', ['Answer.']],
      ['answers meanwhile', half, answer.slice(1), 'finished', ['Answer.']],
      [
        'answers a prompt of another client',
        [main.created()],
        [...prompt.slice(1), ...answer],
        'finished',
        ['Answer.'],
      ],
      ['still answers', half, [], 'running', ['Ans']],
      ['waits', [...calls, asked], [], 'waiting', []],
      ['begins to wait', prompt, [...calls.slice(prompt.length), asked], 'waiting', []],
    ])('shows a session that %s', async (_name, before, meanwhile, status, texts) => {
      const { server, hub } = await restarted({ before, meanwhile, loss })
      const state = async () => hub.state('s')
      const shown = async () => {
        const now = await state()
        return (
          now && {
            status: sessionStatus(now),
            texts: ofType(now, 'assistant_text').map(({ content }) => content),
          }
        )
      }
      await vi.waitFor(async () => expect(await shown()).toEqual({ status, texts }))
      if (status === 'waiting') {
        await hub.answer('s', 'per_1', 'once')
        expect(server.posts).toContain('/permission/per_1/reply')
      }
      const next = new Set(texts).has('Answer.') ? [main.idle()] : answer
      server.emit(...next)
      await vi.waitFor(async () =>
        expect(await shown()).toMatchObject({ status: 'finished', texts: ['Answer.'] }),
      )
    })

    it('goes on with an agent', async () => {
      const whole = [...delegation, ...answer]
      const at = whole.findIndex(({ type }, index) => type === 'message.part.updated' && index > 8)
      const { server, hub } = await restarted({ before: whole.slice(0, at), meanwhile: [], loss })
      server.emit(...whole.slice(at))
      await vi.waitFor(async () =>
        expect((await hub.state('s'))?.subagents).toEqual(readEvents(...whole).state.subagents),
      )
    })

    // The request came before the session knew the agent, and was that of another session.
    it.each(['before', 'in part meanwhile', 'meanwhile'])(
      'has the request of an agent that asked %s',
      async (when) => {
        const whole = [...delegation, ...answer]
        const at = whole.findIndex(({ type }, index) => type === 'message.part.updated' && index > 8)
        const facts = { id: 'per_c', permission: 'bash', patterns: ['ls'], metadata: {}, always: [] }
        const asks = [child.assistantStart('msg_c1'), child.event('permission.asked', facts)]
        const all = [...whole.slice(0, at + 1), ...asks]
        const cut = { before: all.length, 'in part meanwhile': all.length - 2, meanwhile: prompt.length }[
          when
        ]
        const { server, hub } = await restarted({
          before: all.slice(0, cut),
          meanwhile: all.slice(cut ?? 0),
          loss,
        })
        await vi.waitFor(async () => expect(pendingRequests((await hub.state('s')) ?? none)).toHaveLength(1))
        await hub.answer('s', 'per_c', 'once')
        expect(server.posts).toContain('/permission/per_c/reply')
      },
    )

    it('shows that nothing runs after a restart of OpenCode', async () => {
      const { hub } = await restarted({ before: [...calls, asked], meanwhile: [], loss, dies: true })
      await vi.waitFor(async () => {
        const now = await hub.state('s')
        expect(now && sessionStatus(now)).toBe('interrupted')
      })
    })
  },
)

async function restarted({
  before,
  meanwhile,
  loss,
  dies = false,
}: {
  readonly before: readonly Message[]
  readonly meanwhile: readonly Message[]
  readonly loss: string
  readonly dies?: boolean
}) {
  const server = new OpenCode()
  vi.stubGlobal('fetch', server.fetch)
  onTestFinished(() => void vi.unstubAllGlobals())
  const log = createMemoryLog()
  const first = createSessionHub({ log })
  const run = startOpenCode(first, 's', 'http://opencode.example')
  await vi.waitFor(() => expect(server.isRead).toBe(true))
  server.emit(...before)
  const { blocks } = readOpenEvents(...before).state
  await vi.waitFor(async () => expect((await first.state('s'))?.blocks.length).toBe(blocks.length))
  const isBroken = loss === 'loses its stream'
  server.loseReader({ hasEnd: isBroken })
  if (isBroken) await run
  server.emit(...meanwhile)
  if (dies) server.restart()
  const hub = isBroken ? first : createSessionHub({ log })
  if (loss.includes('ends all')) for await (const id of log.sessions()) await hub.pipe(id, [])
  void startOpenCode(hub, 's', 'http://opencode.example')
  await vi.waitFor(() => expect(server.isRead).toBe(true))
  return { server, hub }
}
