import { describe, expect, it } from 'vitest'
import { complete, fold, resume, spawn, statesOf, upsert, usage } from '../../core/reducer/example.ts'
import { called, identify, identityOf, reply, user } from './prompts-and-responses.ts'

describe('a subagent', () => {
  it('is found by its call and by its own id', () => {
    const state = fold(spawn('S', { agentId: 'a', prompt: 'Look.' }), reply('s1:0', 'Seen.', 'S'))
    expect(identify(state, { conversationId: 'S' })).toEqual(identityOf('Look.', 'Seen.'))
    expect(identify(state, { conversationId: 'a' })).toEqual(identityOf('Look.', 'Seen.'))
  })

  it.each(['unknown', '', '__proto__', 'constructor'])(
    'that is unknown has no identity: %j',
    (conversationId) => {
      expect(identify(fold(user('u1', 'Go.'), reply('m1:0', 'Done.')), { conversationId })).toBeNull()
    },
  )

  it('may have the name of a key of every object', () => {
    const state = fold(spawn('__proto__', { prompt: 'Look.' }), reply('s1:0', 'Seen.', '__proto__'))
    expect(identify(state, { conversationId: '__proto__' })).toEqual(identityOf('Look.', 'Seen.'))
  })

  it('takes the prompt from its own first message if its call is unknown', () => {
    const state = fold(
      user('S:prompt', 'Look.', { conversationId: 'S' }),
      reply('s1:0', 'Seen.', 'S'),
      user('x', 'More.', { conversationId: 'S' }),
    )
    expect(identify(state, { conversationId: 'S' })).toEqual(identityOf('Look.', 'Seen.'))
  })

  it('has the same identity, whether or not its thread contains the prompt', () => {
    const spawned = spawn('S', { prompt: 'Look.' })
    const withPrompt = fold(
      spawned,
      user('S:prompt', 'Look.', { conversationId: 'S' }),
      reply('s1:0', 'Seen.', 'S'),
    )
    const without = fold(spawned, reply('s1:0', 'Seen.', 'S'))
    expect(identify(withPrompt, { conversationId: 'S' })).toEqual(identify(without, { conversationId: 'S' }))
  })

  it('has none while its prompt is unknown', () => {
    const state = fold(reply('s1:0', 'Seen.', 'S'), user('x', 'More.', { conversationId: 'S' }))
    expect(identify(state, { conversationId: 'S' })).toBeNull()
    expect(
      identify(fold(spawn('S', { prompt: '' }), reply('s1:0', 'Seen.', 'S')), { conversationId: 'S' }),
    ).toBeNull()
  })

  it('has none while a cut has left its text open', () => {
    const text = { id: 's1:0', type: 'assistant_text', content: 'Se', messageId: 's1' } as const
    const events = [spawn('S', { prompt: 'Look.' }), upsert({ ...text, status: 'pending' }, 'S')]
    const cut = complete('S', { status: 'error', cut: true })
    expect(identify(fold(...events, cut), { conversationId: 'S' })).toBeNull()
    expect(
      identify(fold(...events, cut, upsert({ ...text, status: 'complete' }, 'S')), { conversationId: 'S' }),
    ).toEqual(identityOf('Look.', 'Se'))
  })

  it('has none if the stream lacks its text, even after its end', () => {
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
      reply('s1:0', 'Seen.', 'S'),
      complete('S', { runId: '1' }),
    ]
    const again = [
      resume('S', { prompt: 'Look again.', runId: '2' }),
      user('x', 'Look again.', { conversationId: 'S' }),
      reply('s2:0', 'Seen again.', 'S'),
      complete('S', { runId: '2' }),
    ]
    const states = statesOf([...first, ...again]).slice(2)
    expect(states.map((state) => identify(state, { conversationId: 'S' }))).toEqual(
      states.map(() => identityOf('Look.', 'Seen.')),
    )
  })

  it('has the identity of its twin: same prompt, same answer', () => {
    const state = fold(spawn('S'), spawn('T'), reply('s1:0', 'Seen.', 'S'), reply('t1:0', 'Seen.', 'T'))
    expect(identify(state, { conversationId: 'S' })).toEqual(identify(state, { conversationId: 'T' }))
  })
})

describe('a forked agent', () => {
  const main = [user('u1', 'Go.'), reply('m1:0', 'I fork.'), called('m1:1'), usage('m1', 5)]
  const copy = (conversationId: string) => [
    reply('m1:0', 'I fork.', conversationId),
    called('m1:1', conversationId),
    usage('m1', 5, { conversationId }),
  ]
  const forked = (conversationId: string, parent: string) =>
    spawn(conversationId, { conversationId: parent, prompt: 'Look.', messageId: 'm1' })

  it('begins with its own text, not with the copy of its parent’s', () => {
    const state = fold(...main, forked('F', 'main'), ...copy('F'), reply('f1:0', 'Seen.', 'F'))
    expect(identify(state, { conversationId: 'F' })).toEqual(identityOf('Look.', 'Seen.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'I fork.'))
  })

  it('has no identity before its first own text', () => {
    expect(identify(fold(...main, forked('F', 'main'), ...copy('F')), { conversationId: 'F' })).toBeNull()
  })

  it('does not use the end of its parent’s message as its own', () => {
    const state = fold(...main, forked('F', 'main'), ...copy('F'), called('f1:0', 'F'))
    expect(identify(state, { conversationId: 'F' })).toBeNull()
  })

  it('may fork again', () => {
    const state = fold(
      ...main,
      forked('F', 'main'),
      ...copy('F'),
      reply('f1:0', 'Seen.', 'F'),
      forked('G', 'F'),
      ...copy('G'),
      reply('f1:0', 'Seen.', 'G'),
      reply('g1:0', 'Deeper.', 'G'),
    )
    expect(identify(state, { conversationId: 'G' })).toEqual(identityOf('Look.', 'Deeper.'))
  })

  it('has another identity than its sibling', () => {
    const state = fold(
      ...main,
      forked('F', 'main'),
      forked('G', 'main'),
      ...copy('F'),
      ...copy('G'),
      reply('f1:0', 'Left.', 'F'),
      reply('g1:0', 'Right.', 'G'),
    )
    expect(identify(state, { conversationId: 'F' })).toEqual(identityOf('Look.', 'Left.'))
    expect(identify(state, { conversationId: 'G' })).toEqual(identityOf('Look.', 'Right.'))
  })
})
