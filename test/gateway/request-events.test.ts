import { describe, expect, it } from 'vitest'
import {
  computeAgentTypeHash,
  computeToolSetHash,
  hashSystemPrompt,
  hashUserMessage,
} from '../../src/entries/identity.ts'
import {
  answerEvents,
  buildAgentTree,
  createAgentRegistry,
  createRequestAgents,
  type ModelMessage,
  type ModelRequest,
  reduceAgentEvent,
  requestEvent,
} from '../../src/entries/lineage.ts'

const at = 5
const user = (content: unknown) => ({ role: 'user', content })
const texts = (...all: string[]) => all.map((text) => ({ type: 'text', text }))

describe('the event of a request', () => {
  it('has the hashes of a Messages API', () => {
    const request = {
      model: 'm-1',
      system: texts('You are careful.', 'Be brief.'),
      tools: [{ name: 'bash' }, { name: 'read' }, { name: 'bash' }],
      messages: [
        user(texts('<system-reminder>It is <b>Monday</b>.</system-reminder>', 'Look around.', 'Twice.')),
        { role: 'assistant', content: 'Yes.' },
        user('And now?'),
      ],
    }
    const systemPromptHash = hashSystemPrompt('You are careful.\nBe brief.')
    expect(requestEvent('a', request, { at })).toEqual({
      type: 'agent:started',
      agentId: 'a',
      at,
      modelId: 'm-1',
      systemPromptHash,
      agentTypeHash: computeAgentTypeHash(
        systemPromptHash,
        computeToolSetHash([{ name: 'read' }, { name: 'bash' }]),
      ),
      firstUserMessageHash: hashUserMessage('Look around.\nTwice.'),
      promptHashes: ['Look around.', 'Twice.'].map(hashUserMessage),
    })
  })

  it('is the same for Chat Completions', () => {
    const system = 'You are careful.'
    const messages = [user('Look around.')]
    const chat = {
      messages: [{ role: 'system', content: system }, ...messages],
      tools: [{ type: 'function', function: { name: 'bash' } }],
    }
    expect(requestEvent('a', chat, { at })).toEqual(
      requestEvent('a', { system, messages, tools: [{ name: 'bash' }] }, { at }),
    )
  })

  it('has the hash of each text before the first answer, because some programs put others before the prompt', () => {
    const messages = [user('The folder is /srv.'), user('Look around.')]
    expect(requestEvent('a', { messages }, { at }).promptHashes).toContain(hashUserMessage('Look around.'))
  })

  it.each<[string, ModelRequest]>([
    [
      'has no text of a person',
      { messages: [user([{ type: 'image' }]), user('<system-reminder>x</system-reminder>')] },
    ],
    ['has no message', { messages: [] }],
  ])('has no hash of a prompt if the request %s', (_, request) => {
    const { firstUserMessageHash, promptHashes } = requestEvent('a', request, { at })
    expect([firstUserMessageHash, promptHashes]).toEqual([undefined, undefined])
  })

  it('has a hash of its user, and no name', () => {
    const hashOf = (name?: string) => requestEvent('a', { messages: [] }, { at, user: name }).userHash
    expect([hashOf('ann'), hashOf('ann') === hashOf('bo'), hashOf()]).toEqual([
      expect.stringMatching(/^[0-9a-f]{16}$/),
      false,
      undefined,
    ])
  })

  it.each([[{ name: 'a|b' }], [{ name: '' }], [{}], [null]])('has no agent type for the tool %j', (tool) => {
    const event = requestEvent('a', { messages: [user('Hi.')], tools: [tool] }, { at })
    expect(event).toHaveProperty('systemPromptHash')
    expect(event).not.toHaveProperty('agentTypeHash')
  })

  it('keeps a reminder without an end, and what stands around one with an end', () => {
    const hashOf = (text: string) =>
      requestEvent('a', { messages: [user(text)] }, { at }).firstUserMessageHash
    expect(hashOf('A <system-reminder>x')).toBe(hashUserMessage('A <system-reminder>x'))
    expect(hashOf('A<system-reminder>x</system-reminder>B</system-reminder>')).toBe(
      hashUserMessage('AB</system-reminder>'),
    )
    expect(hashOf('<system-reminder>'.repeat(100_000))).toHaveLength(16)
  })
})

describe('the events of an answer', () => {
  const input = { subagent_type: 'reviewer', prompt: 'Review.' }
  const spawning = {
    type: 'agent:spawning',
    agentId: 'a',
    at,
    expectedChildAgentName: 'reviewer',
    toolUseId: 'c1',
    isOfWholeAnswer: true,
    promptHash: hashUserMessage('Review.'),
  }
  const completed = {
    type: 'agent:completed',
    agentId: 'a',
    at,
    inputTokens: 3,
    outputTokens: 4,
    responseText: 'I ask.',
  }

  it.each<[string, ModelMessage & { usage: unknown }]>([
    [
      'a Messages API',
      {
        role: 'assistant',
        content: [
          ...texts('I ask.'),
          { type: 'tool_use', id: 'c1', name: 'Task', input },
          { type: 'tool_use', id: 'c2', name: 'Bash', input: {} },
        ],
        usage: { input_tokens: 3, output_tokens: 4 },
      },
    ],
    [
      'Chat Completions',
      {
        role: 'assistant',
        content: 'I ask.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'Task', arguments: JSON.stringify(input) } },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      },
    ],
  ])('are the calls that start agents, and the end, in %s', (_, answer) => {
    expect(answerEvents('a', answer, { at })).toEqual([spawning, completed])
  })

  // Tokens of the cache were nowhere, or in the input.
  it.each<[string, object, object]>([
    [
      'Messages',
      {
        input_tokens: 4,
        cache_creation_input_tokens: 2000,
        cache_read_input_tokens: 50_000,
        cache_creation: { ephemeral_1h_input_tokens: 500 },
        output_tokens: 5,
      },
      { cacheWriteTokens: 2000, cacheWrite1hTokens: 500 },
    ],
    [
      'Chat Completions',
      {
        prompt_tokens: 50_004,
        prompt_tokens_details: { cached_tokens: 50_000 },
        completion_tokens: 5,
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      { reasoningTokens: 3 },
    ],
    [
      'Responses',
      {
        input_tokens: 50_004,
        input_tokens_details: { cached_tokens: 50_000 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 3 },
      },
      { reasoningTokens: 3 },
    ],
  ])('count the tokens of the cache apart, in %s', (_, usage, more) => {
    const tokens = { inputTokens: 4, cacheReadTokens: 50_000, outputTokens: 5, ...more }
    const events = answerEvents('a', { role: 'assistant', content: 'Hi.', usage }, { at })
    expect(events).toEqual([{ type: 'agent:completed', agentId: 'a', at, responseText: 'Hi.', ...tokens }])
    const started = requestEvent('a', { messages: [user('Hi?')] }, { at: 0 })
    const registry = [started, ...events].reduce(reduceAgentEvent, createAgentRegistry())
    expect(registry.agents[0]?.usage.last).toEqual({ messages: 1, ...tokens })
    expect(buildAgentTree(registry)[0]?.usage.total.final).toEqual({ messages: 1, ...tokens })
  })

  // The details of one API took the cache from the input of another, and a zero hid the count.
  it.each<[object, number, number]>([
    [
      {
        input_tokens: 4,
        output_tokens: 5,
        prompt_tokens_details: { cached_tokens: 9 },
        cache_read_input_tokens: 9,
      },
      4,
      5,
    ],
    [
      {
        input_tokens: 4,
        prompt_tokens: 13,
        prompt_tokens_details: { cached_tokens: 9 },
        cache_read_input_tokens: 9,
        output_tokens: 5,
      },
      4,
      5,
    ],
    [{ input_tokens: 0, prompt_tokens: 100, output_tokens: 0, completion_tokens: 5 }, 100, 5],
    [
      {
        input_tokens: 0,
        prompt_tokens: 13,
        prompt_tokens_details: { cached_tokens: 9 },
        cache_read_input_tokens: 0,
        output_tokens: 5,
      },
      4,
      5,
    ],
    [
      { input_tokens: 13, prompt_tokens: 13, prompt_tokens_details: { cached_tokens: 9 }, output_tokens: 5 },
      4,
      5,
    ],
    [{ input_tokens: 4, prompt_tokens: 4, cache_read_input_tokens: 9, output_tokens: 5 }, 4, 5],
    [{ input_tokens: 0, cache_read_input_tokens: 9, output_tokens: 0 }, 0, 0],
  ])('count the tokens of a relay: %o', (usage, inputTokens, outputTokens) => {
    const [end] = answerEvents('a', { role: 'assistant', content: '', usage }, { at })
    expect(end).toMatchObject({ inputTokens, outputTokens })
  })

  it('have an empty text if the answer only calls tools, and a call without a prompt has no hash', () => {
    const answer = {
      role: 'assistant',
      content: [{ type: 'tool_use', name: 'my_agents', input: { mode: 'ask' } }],
    }
    expect(answerEvents('a', answer, { at, tools: ['my_agents'] })).toEqual([
      { type: 'agent:spawning', agentId: 'a', at, expectedChildAgentName: 'ask', isOfWholeAnswer: true },
      { type: 'agent:completed', agentId: 'a', at, responseText: '' },
    ])
  })

  it('start no agent for a call that resumes one', () => {
    const call = { type: 'tool_use', id: 'c1', name: 'Task', input: { ...input, resume: 'agent-7' } }
    expect(answerEvents('a', { role: 'assistant', content: [call] }, { at }).map(({ type }) => type)).toEqual(
      ['agent:completed'],
    )
  })
})

it('links the agents of a gateway with nothing else', () => {
  const agents = createRequestAgents()
  let registry = createAgentRegistry()
  const ask = (system: string, prompt: string, answer: ModelMessage, at: number) => {
    const request = { system, messages: [user(prompt)] }
    const open = agents.begin(request)
    agents.answered(open, answer)
    for (const event of [
      requestEvent(open.agentId, request, { at }),
      ...answerEvents(open.agentId, answer, { at: at + 1 }),
    ])
      registry = reduceAgentEvent(registry, event)
  }
  const input = { subagent_type: 'reviewer', prompt: 'Review.' }
  ask(
    'You write.',
    'Fix it.',
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Task', input }] },
    10,
  )
  ask('You review.', 'Review.', { role: 'assistant', content: 'It is fine.' }, 20)
  const [root] = buildAgentTree(registry)
  expect(root?.children.map(({ conversationId: id, name, status }) => [id, name, status])).toEqual([
    ['agent-2', 'reviewer', 'success'],
  ])
})
