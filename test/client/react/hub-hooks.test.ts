import type { FunctionComponent } from 'react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { costSelector } from '../../../src/client/react/hooks.ts'
import { asObject } from '../../../src/core/json/values.ts'
import { createSessionHub } from '../../../src/entries/hub.ts'
import {
  costOf,
  createInitialConversationState,
  type Price,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import type { HubConnection } from '../../../src/entries/sync.ts'
import { delta, spawn, usage } from '../../core/reducer/example.ts'
import { hubPage } from '../connect/hub-page.ts'
import { pending, sessionPage, storeOf } from './session-page.ts'

const PRICE: Price = { input: 1, output: 10, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
const priceOf = (): Price => PRICE

const ask: SessionEvent = {
  type: 'block:upsert',
  block: { id: 'r1', type: 'request', status: 'pending', kind: 'permission', title: 'Mail' },
}

describe.each([18, 19] as const)('with React %i', (version) => {
  const { React, hooks, page, inSession, rendered, takeRendered, dispatch } = sessionPage(version)
  const { createElement: h } = React

  const List: FunctionComponent = () =>
    h('p', null, ...hooks.useHubSessions().map(({ id, status }) => `${id} ${status};`))
  const Session: FunctionComponent<{ readonly id: string }> = ({ id }) => {
    const { store, status } = hooks.useHubSession(id)
    return h(hooks.SessionProvider, { store }, h('p', null, `${id} is ${status}: `), h(Blocks))
  }
  const Blocks: FunctionComponent = () => h('p', null, hooks.useBlockIds('main').join(','))
  let answer: HubConnection['answer'] | undefined
  let prompt: HubConnection['prompt'] | undefined
  const Answer: FunctionComponent = () => {
    answer = hooks.useAnswer()
    prompt = hooks.usePrompt()
    return null
  }

  async function connected() {
    const server = createSessionHub()
    await server.publish('a', [{ type: 'session:running' }, ask])
    server.onReply('a', () => {})
    await server.publish('b', [{ type: 'session:idle', outcome: 'finished' }])
    return { server, ...hubPage(() => server) }
  }
  const shown = async (hub: HubConnection, ...nodes: readonly ReturnType<typeof h>[]) => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
    await page.show(h(React.StrictMode, null, h(hooks.HubProvider, { hub }, ...nodes)))
    // From here on, the connection changes the page by itself.
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false)
  }
  const seen = (text: string) => vi.waitFor(() => expect(page.text()).toContain(text), 3000)

  it('shows the list and a session over one connection, answers and prompts', async () => {
    const { hub, requests, server } = await connected()
    await shown(hub, h(List), h(Session, { id: 'a' }), h(Answer))
    await seen('a waiting;')
    await seen('a is live: r1')
    expect(requests).toEqual(['GET /sessions/events?session=a&list=1'])
    await answer?.('a', 'r1', 'yes')
    const prompts: string[] = []
    await expect(prompt?.('a', 'Go on.')).rejects.toMatchObject({ code: 'no-answer-taken' })
    server.onPrompt('a', (text) => prompts.push(text))
    await prompt?.('a', 'Go on.')
    expect(prompts).toEqual(['Go on.'])
    await seen('a running;')
    expect((await server.state('a'))?.blocks.at(-1)).toMatchObject({ answer: 'yes' })
  })

  // A form with an `action` was empty before the program had the prompt: the words of a failed one were lost.
  it('usePromptForm keeps the words of a prompt until the program has them', async () => {
    const { hub, server } = await connected()
    const Form: FunctionComponent = () => {
      const { onSubmit, isSending, error } = hooks.usePromptForm('a')
      const field = h('input', { name: 'prompt' })
      return h('form', { onSubmit }, field, h('button'), isSending ? 'on its way' : `error: ${error};`)
    }
    vi.stubGlobal('FormData', document.defaultView?.FormData)
    await shown(hub, h(Form))
    const field = document.querySelector('input')
    if (!field) throw new TypeError('the page shows the form')
    const send = (words: string) => {
      field.value = words
      document.querySelector('button')?.click()
    }
    send('Go on.')
    await seen('error: No program takes prompts now')
    expect(field.value).toBe('Go on.')
    const taken: string[] = []
    let take = (): void => {}
    server.onPrompt('a', (text) => {
      taken.push(text)
      return new Promise<void>((resolve) => {
        take = resolve
      })
    })
    for (const _ of 'two') send('Go on.')
    await seen('on its way')
    await vi.waitFor(() => expect(taken).toEqual(['Go on.']))
    take()
    await seen('error: ;')
    expect(field.value).toBe('')
    send('And on.')
    await vi.waitFor(() => expect(taken).toHaveLength(2))
    field.value = 'The next one'
    take()
    await seen('error: ;')
    expect(field.value).toBe('The next one')
  })

  // The form of b was locked by the prompt of a.
  it('usePromptForm keeps the sessions apart when its id changes', async () => {
    const { hub, server } = await connected()
    const Form: FunctionComponent<{ readonly id: string }> = ({ id }) => {
      const { onSubmit, isSending, error } = hooks.usePromptForm(id)
      const field = h('input', { name: 'prompt' })
      return h(
        'form',
        { onSubmit },
        field,
        h('button'),
        `${id} ${isSending ? 'on its way' : `error: ${error};`}`,
      )
    }
    vi.stubGlobal('FormData', document.defaultView?.FormData)
    const taken: string[] = []
    let take = (): void => {}
    server.onPrompt('a', (text) => {
      taken.push(`a ${text}`)
      return new Promise<void>((resolve) => {
        take = resolve
      })
    })
    await shown(hub, h(Form, { id: 'a' }))
    const field = document.querySelector('input')
    if (!field) throw new TypeError('the page shows the form')
    field.value = 'Go on.'
    document.querySelector('button')?.click()
    await vi.waitFor(() => expect(taken).toEqual(['a Go on.']))
    await shown(hub, h(Form, { id: 'b' }))
    await seen('b error: ;')
    document.querySelector('button')?.click()
    await seen('b error: No program takes prompts now')
    take()
    await shown(hub, h(Form, { id: 'a' }))
    await seen('a error: ;')
  })

  it('follows another session when the id changes, and leaves the first one', async () => {
    const { hub, requests } = await connected()
    await shown(hub, h(Session, { id: 'a' }))
    await seen('a is live')
    await shown(hub, h(Session, { id: 'b' }))
    await seen('b is live')
    await vi.waitFor(() => expect(requests.at(-1)).not.toContain('session=a'), 3000)
  })

  type Ask = Extract<Extract<SessionEvent, { type: 'block:upsert' }>['block'], { type: 'request' }>
  const option = { id: 'x', label: 'Ex' }
  const asking = { id: 'r1', type: 'request', status: 'pending', title: 'Mail' } as const
  const permission = { ...asking, kind: 'permission' } as const
  const question = { ...asking, kind: 'question' } as const
  const cancelling = { ...permission, options: [{ id: 'cancel-order', label: 'Cancel the order' }] }
  const radio = { ...question, options: [option] }
  const checkbox = { ...question, questions: [{ text: 'A', options: [option], multiple: true }] }
  const schema = { params: { requestedSchema: {} } }

  /** Shows the forms of a hub, and returns the function that presses a button of the first form, or of another one. */
  async function shownForm(
    server: Parameters<typeof hubPage>[0] extends () => infer Server ? Server : never,
    words: Readonly<Record<string, string>>,
    button: string,
  ) {
    const wire = hubPage(() => server)
    const Form: FunctionComponent<{ readonly request: ReturnType<typeof hooks.useRequests>[number] }> = ({
      request,
    }) => {
      const { fields, buttons, onSubmit, onInput, isSending, error } = hooks.useRequestForm('f', request)
      const inputs = fields.flatMap(({ name }) =>
        (words[name] ?? '')
          .split(',')
          .map((word) => h('input', { key: name + word, name, defaultValue: word })),
      )
      const sends = buttons.map(({ id, label }) =>
        h('button', { key: id, name: 'answer', value: id, disabled: isSending }, label),
      )
      return h('form', { onSubmit, onInput, id: request.block.id }, inputs, sends, error)
    }
    const Forms: FunctionComponent = () => {
      const [isShown, setIsShown] = React.useState(true)
      const requests = hooks.useRequests()
      return h(
        'div',
        null,
        hooks.useSession(({ blocks }) => blocks.map(({ status }) => status).join()),
        ` of ${requests.length};`,
        isShown && requests.map((request) => h(Form, { key: request.block.id, request })),
        h('button', { onClick: () => setIsShown(false) }, 'Hide'),
      )
    }
    const View: FunctionComponent = () =>
      h(hooks.SessionProvider, { store: hooks.useHubSession('f').store }, h(Forms))
    vi.stubGlobal('FormData', document.defaultView?.FormData)
    const answer = vi.spyOn(wire.hub, 'answer')
    await shown(wire.hub, h(View))
    const find = (label = button, form = '*') => {
      const buttons = document.querySelectorAll<HTMLButtonElement>(`${form} button`)
      const found = [...buttons].find(({ textContent }) => textContent === label)
      expect(found).toBeDefined()
      return found
    }
    await vi.waitFor(() => find(), 3000)
    const press = (label?: string, form?: string) => find(label, form)?.click()
    const type = (text: string) => {
      const input = document.querySelector('input')
      if (input) input.value = text
      input?.dispatchEvent(new (document.defaultView ?? window).Event('input', { bubbles: true }))
    }
    return { ...wire, press, find, type, answer }
  }

  /** A hub with open questions. The first answer to each waits until `end` says whether it arrives. Later ones arrive. */
  async function slowServer(...ids: readonly string[]) {
    const server = createSessionHub()
    const blocks = ids.map((id): SessionEvent => ({ type: 'block:upsert', block: { ...radio, id } }))
    await server.publish('f', [{ type: 'session:running' }, ...blocks])
    const ends = new Map<unknown, (isDelivered: boolean) => void>()
    server.onReply('f', async (reply) => {
      const { requestId } = asObject(reply)
      if (ends.has(requestId)) return
      await new Promise<void>((resolve, reject) => {
        const fail = () => reject(new Error('the program is deaf'))
        ends.set(requestId, (isDelivered) => (isDelivered ? resolve() : fail()))
      })
    })
    const end = (id: string, isDelivered: boolean) =>
      vi.waitFor(() => {
        expect(ends.has(id)).toBe(true)
        ends.get(id)?.(isDelivered)
      })
    return { server, end }
  }

  it.each(['has sent', 'types'])(
    'useRequestForm takes the answer of somebody who %s when that of somebody else has not arrived',
    async (does) => {
      const { server, end } = await slowServer('r1')
      const { press, find, type } = await shownForm(server, { 0: 'Ex' }, 'Send')
      if (does === 'types') type('mine')
      const theirs = server.answer('f', 'r1', [['Ex']])
      const fetched = expect(theirs).rejects.toThrow('the program is deaf')
      if (does === 'has sent') press()
      await vi.waitFor(() => find('Close'), 3000)
      type('mine')
      await end('r1', false)
      await fetched
      await seen('The request is open again: answer it anew.')
      await server.publish('f', [{ type: 'block:upsert', block: { ...radio, title: 'Post' } }])
      await seen('The program asks something else now.')
      press('Send')
      await seen('complete of 0;')
      expect((await server.state('f'))?.blocks[0]).toMatchObject({ answer: [['mine']] })
    },
  )

  const idle: SessionEvent = { type: 'session:idle', outcome: 'interrupted' }
  const WITHDRAWN = 'The program waits for no answer any more.'
  /** What a person does with a form, the reason that it then shows, and what the server does with their answer. */
  const TOUCHES = [
    ['is filled in', '', () => {}],
    [
      'has failed',
      'The server cannot be reached.',
      () => {
        throw new TypeError('Failed to fetch')
      },
    ],
    [
      'is not delivered',
      'the program is deaf',
      (server: ReturnType<typeof createSessionHub>, request: Request) => server.fetch(request),
    ],
  ] as const
  const ENDS = [
    ['answered', 'The request is answered: Ex.', [['Ex']]],
    ['refused', 'The request is refused.', { denied: true }],
    ['withdrawn', WITHDRAWN, idle],
    ['removed', WITHDRAWN, { type: 'block:removed', blockId: 'r1' }],
  ] as const

  // The person's words were gone in the middle of a sentence, or after a failure that they were about to mend.
  it.each(
    TOUCHES.flatMap(([touch, reason, send]) =>
      ENDS.map(([name, said, end]) => ({ touch, reason, send, name, said, end })),
    ),
  )(
    'useRequestForm keeps a form that $touch when its request is $name, and says so',
    async ({ touch, reason, send, said, end }) => {
      const server = createSessionHub()
      await server.publish('f', [{ type: 'session:running' }, { type: 'block:upsert', block: radio }])
      let isDeaf = touch === 'is not delivered'
      server.onReply('f', () => {
        if (isDeaf) throw new Error('the program is deaf')
      })
      const fetch = async (request: Request): Promise<Response> =>
        (request.method === 'POST' ? await send(server, request) : undefined) ?? server.fetch(request)
      const { press, type, find } = await shownForm({ fetch }, { 0: '' }, 'Send')
      type('mine')
      if (reason !== '') press()
      await vi.waitFor(() => expect(page.text()).toMatch(new RegExp(`pending of 1;.*${reason}`)), 3000)
      await vi.waitFor(() => expect(find('Send')?.disabled).toBe(false), 3000)
      isDeaf = false
      if ('type' in end) await server.publish('f', [end])
      else await server.answer('f', 'r1', end)
      await seen(said)
      if (reason !== '') expect(page.text()).toContain(reason)
      const shown = [...document.querySelectorAll('form button')].map(({ textContent }) => textContent)
      expect([shown, document.querySelector('input')?.value]).toEqual([['Close'], 'mine'])
      press('Close')
      await vi.waitFor(() => expect(document.querySelector('form')).toBeNull(), 3000)
    },
  )

  it('useRequestForm says that the log has the answer, if the server ends before it says so', async () => {
    const server = createSessionHub()
    await server.publish('f', [{ type: 'session:running' }, { type: 'block:upsert', block: radio }])
    server.onReply('f', () => {})
    const fetch = async (request: Request): Promise<Response> => {
      const response = await server.fetch(request)
      if (request.method === 'POST') throw new TypeError('Failed to fetch')
      return response
    }
    const { press, find } = await shownForm({ fetch }, { 0: 'mine' }, 'Send')
    press()
    await seen('The request is answered: mine. The server cannot be reached.')
    await vi.waitFor(() => find('Close'), 3000)
  })

  it('useRequestForm keeps no form that nobody has touched', async () => {
    const server = createSessionHub()
    await server.publish('f', [{ type: 'session:running' }, { type: 'block:upsert', block: radio }])
    await shownForm(server, { 0: 'Ex' }, 'Send')
    await server.publish('f', [idle])
    await seen('complete of 0;')
  })

  it('useRequestForm sends one answer, however often the person presses', async () => {
    const { server, end } = await slowServer('r1')
    const { press, find, answer, freeze } = await shownForm(server, { 0: 'mine' }, 'Send')
    // The page does not hear that the answer has closed the request.
    freeze()
    press()
    press()
    await vi.waitFor(() => expect(find()?.disabled).toBe(true))
    await end('r1', true)
    await vi.waitFor(() => expect(answer.mock.settledResults[0]?.type).toBe('fulfilled'))
    expect(page.text()).toContain('pending of 1;')
    press()
    expect(answer).toHaveBeenCalledTimes(1)
  })

  const shownIds = () => [...document.querySelectorAll('form')].map(({ id }) => id).join('')
  const orders = ['ABC', 'ACB', 'BAC', 'BCA', 'CAB', 'CBA']

  it.each(orders)('useRequests keeps the order of the requests that are answered as %s', async (order) => {
    const { server, end } = await slowServer('A', 'B', 'C')
    const { press } = await shownForm(server, { 0: 'mine' }, 'Send')
    for (const id of order) {
      press('Send', `#${id}`)
      await vi.waitFor(async () => {
        const state = await server.state('f')
        expect(state?.blocks.find((block) => block.id === id)?.status).toBe('complete')
        const statuses = state?.blocks.map(({ status }) => status).join()
        expect(page.text()).toContain(`${statuses} of 3;`)
      }, 3000)
      expect(shownIds()).toBe('ABC')
    }
    await server.publish('f', [{ type: 'block:upsert', block: { ...radio, id: 'D' } }])
    await seen('of 4;')
    expect(shownIds()).toBe('ABCD')
    await end(order[0] ?? '', true)
    await seen('of 3;')
    expect(shownIds()).toBe('ABCD'.replace(order[0] ?? '', ''))
  })

  it('useRequests keeps no request whose form is gone', async () => {
    const { server, end } = await slowServer('r1')
    const { press } = await shownForm(server, { 0: 'mine' }, 'Send')
    press()
    await seen('complete of 1;')
    press('Hide')
    await seen('complete of 0;')
    await end('r1', true)
  })

  it.each([
    ['is not delivered', 502, 'the program is deaf', 'Send'],
    ['is that of the slower of two persons', 409, 'The request is answered: Ex.', 'Close'],
  ] as const)(
    'useRequestForm keeps the words of an answer that %s, and says why',
    async (_, status, said, next) => {
      const server = createSessionHub()
      await server.publish('f', [{ type: 'session:running' }, { type: 'block:upsert', block: radio }])
      let fail = (): void => {}
      server.onReply('f', async () => {
        if (status === 409) return
        await new Promise<void>((_, reject) => {
          fail = () => reject(new Error('the program is deaf'))
        })
      })
      const fetch = async (request: Request): Promise<Response> => {
        if (request.method === 'POST' && status === 409) await server.answer('f', 'r1', [['Ex']])
        return server.fetch(request)
      }
      const { press } = await shownForm({ fetch }, { 0: 'mine' }, 'Send')
      const words = document.querySelector('input')
      if (words) words.value = 'a long answer'
      press()
      // The answer has closed the request.
      await seen('complete')
      fail()
      await seen(said)
      await vi.waitFor(async () => {
        expect((await server.state('f'))?.blocks[0]?.status).toBe(status === 502 ? 'pending' : 'complete')
        expect([...document.querySelectorAll('button')].map(({ textContent }) => textContent)).toContain(next)
      })
      expect([words?.isConnected, words?.value]).toEqual([true, 'a long answer'])
      if (next !== 'Close') return
      document.querySelector('button')?.click()
      await vi.waitFor(() => expect(document.querySelector('form')).toBeNull(), 3000)
    },
  )

  it.each<[string, Ask, string, Readonly<Record<string, string>>, unknown]>([
    ['a permission', { ...permission, options: [option] }, 'Ex', {}, { answer: 'x' }],
    ['a permission without options', permission, 'Allow', {}, { answer: 'allow' }],
    ['a refusal beside an option that cancels', cancelling, 'Refuse', {}, { denied: true }],
    ['nothing', radio, 'Send', {}, 'Answer each question.'],
    ['own words beside a choice', radio, 'Send', { 0: 'Ex,mine' }, { answer: [['mine']] }],
    ['several choices', checkbox, 'Send', { 0: 'Ex,mine' }, { answer: [['Ex', 'mine']] }],
    ['a refusal', { ...question, options: [option] }, 'Refuse', {}, { denied: true }],
    ['own words', question, 'Send', { 0: 'mine' }, { answer: [['mine']] }],
    [
      'several questions',
      { ...question, questions: ['A', 'B'].map((text) => ({ text, options: [option] })) },
      'Send',
      { 0: 'Ex', 1: 'y' },
      { answer: [['Ex'], ['y']] },
    ],
    [
      'a form',
      { ...permission, options: [option], data: schema },
      'Ex',
      { content: '{"a":1}' },
      { answer: 'x', content: { a: 1 } },
    ],
  ])('useRequestForm answers %s', async (_, block, button, words, expected) => {
    const server = createSessionHub()
    const replies: unknown[] = []
    server.onReply('f', (reply) => replies.push(reply))
    await server.publish('f', [{ type: 'block:upsert', block }])
    const { press } = await shownForm(server, words, button)
    press()
    if (typeof expected === 'string') await seen(expected)
    const sent = typeof expected === 'string' ? [] : [expect.objectContaining(expected)]
    await vi.waitFor(() => expect(replies).toEqual(sent), 3000)
  })

  it('says that the list is that of a connection that was lost', async () => {
    const { hub, cut } = await connected()
    const statuses: string[] = []
    const Status: FunctionComponent = () => {
      const status = hooks.useHubStatus()
      if (statuses.at(-1) !== status) statuses.push(status)
      return null
    }
    await shown(hub, h(List), h(Status))
    await vi.waitFor(() => expect(statuses.at(-1)).toBe('live'), 3000)
    cut()
    await vi.waitFor(() => expect(statuses.slice(-2)).toEqual(['lost', 'live']), 3000)
  })

  it('useCost renders when tokens change or the model of main, not with a delta', async () => {
    const Cost: FunctionComponent = () => {
      rendered.push('cost')
      return h('p', null, hooks.useCost(priceOf).usd)
    }
    const store = storeOf(pending('a'), spawn('S'), pending('c', 'S'), usage('m', 1e6, { model: 'x' }))
    await page.show(inSession(store, h(Cost)))
    await dispatch(store, delta('a', 'x'), delta('c', 'y', 'S'))
    expect([takeRendered(), page.text()]).toEqual([[], '10'])
    await dispatch(store, usage('n', 1e6, { model: 'x' }))
    expect([takeRendered(), page.text()]).toEqual([['cost'], '20'])
    await dispatch(store, usage('o', 1e6))
    expect(page.text()).toBe('20')
    await dispatch(store, { type: 'session:updated', facts: { model: 'x' } })
    expect(page.text()).toBe('30')
  })

  it('says that a provider is missing', async () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => quiet.mockRestore())
    await expect(page.show(h(List))).rejects.toThrow('HubProvider')
  })
})

describe('the cost of a session', () => {
  // It was added up anew for each delta: 2.7 ms in a session of 468 blocks.
  it('is not added up again for a delta', () => {
    const events: SessionEvent[] = []
    for (let at = 0; at < 40; at += 1) events.push(spawn(`S${at}`))
    for (let at = 0; at < 428; at += 1) {
      const of = `S${at % 40}`
      events.push(pending(`b${at}`, of), usage(`m${at}`, 5, { model: 'x', conversationId: of }))
    }
    const states: SessionConversationState[] = [reduceSessionEvents(createInitialConversationState(), events)]
    for (let at = 0; at < 400; at += 1)
      states.push(
        reduceSessionEvents(states.at(-1) ?? createInitialConversationState(), [
          delta(`b${at}`, 'x', `S${at % 40}`),
        ]),
      )
    const asked = vi.fn(priceOf)
    const select = costSelector(asked)
    const first = select(states[0] ?? createInitialConversationState())
    asked.mockClear()
    expect(states.map(select).every((cost) => cost === first)).toBe(true)
    expect(asked).not.toHaveBeenCalled()
    expect(first).toEqual(costOf(states.at(-1) ?? createInitialConversationState(), priceOf))
  })
})
