import { describe, expect, it } from 'vitest'
import { complete, fold, resume, spawn, statesOf, usage } from '../reducer/example.ts'
import { called, identify, identityOf, said, user } from './prompts-and-responses.ts'

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
