import { expect, it } from 'vitest'
import { agentIn, completed, parentsIn, run, runFrom, spawning, spawningIn, started } from '../events.ts'

const ann = { userHash: 'ann', requestId: 'q1' }
const eve = { userHash: 'eve', requestId: 'q2' }
const child = (name: string, userHash: string) => started(name, 9, { name: 'recon', userHash })

// The claim had the person of the last request, whoever made the call.
it('a call is of the person of its request, and the agent of its first person', () => {
  const { registry } = run(
    started('main', 0, ann),
    started('main', 1, eve),
    spawningIn('q1', 'main', 2, { toolUseId: 'c1' }),
    completed('main', 3, { requestId: 'q1' }),
    child('of eve', 'eve'),
    child('of ann', 'ann'),
  )
  expect(parentsIn(registry)).toEqual({ main: undefined, 'of eve': undefined, 'of ann': 'main' })
  expect(agentIn(registry, 'main')?.userHash).toBe('ann')
})

it('an agent of another person that names a parent is linked only by a call of its person', () => {
  const named = { parentAgentId: 'main', name: 'recon' }
  const { registry } = run(
    started('main', 0, ann),
    started('main', 1, eve),
    started('stranger', 2, { ...named, userHash: 'eve' }),
    started('own', 3, { ...named, userHash: 'ann' }),
    spawningIn('q2', 'main', 4),
    started('called', 5, { ...named, userHash: 'eve' }),
  )
  expect(parentsIn(registry)).toEqual({ main: undefined, stranger: undefined, own: 'main', called: 'main' })
})

it.each([
  ['starts later', []],
  ['is of no person at first', [started('main', 0)]],
])('an agent of another person is not below a main that %s', (_, first) => {
  const { registry } = run(
    ...first,
    started('stranger', 1, { parentAgentId: 'main', userHash: 'eve' }),
    started('own', 2, { parentAgentId: 'main', userHash: 'ann' }),
    started('main', 3, { ...ann, isMain: true }),
  )
  expect(parentsIn(registry)).toEqual({ main: undefined, stranger: undefined, own: 'main' })
})

it('a request of another person answers no call', () => {
  const { registry } = run(
    started('main', 0, ann),
    started('own', 1, { parentAgentId: 'main', userHash: 'ann' }),
    spawningIn('q1', 'main', 2, { toolUseId: 'c1' }),
    started('own', 3, { userHash: 'eve', toolUseId: 'c1' }),
  )
  expect(registry.claims).toMatchObject([{ toolUseId: 'c1', userHash: 'ann' }])
})

it('a child that started early stays that of its person, although another one sends a request of it', () => {
  const promptHash = 'p'
  const { registry } = run(
    started('child', 0, { userHash: 'ann', firstUserMessageHash: promptHash }),
    started('child', 1, { userHash: 'eve' }),
    started('main', 2, eve),
    spawning('main', 3, { promptHash }),
  )
  expect(parentsIn(registry)).toEqual({ child: undefined, main: undefined })
})

it.each([
  ['ann', undefined],
  [undefined, 'bo'],
  ['ann', 'ann'],
])('an agent of %s has the child of %s that names it', (parent, child) => {
  const { registry } = run(
    started('main', 0, { userHash: parent }),
    started('child', 1, { userHash: child, parentAgentId: 'main' }),
  )
  expect(parentsIn(registry)).toEqual({ main: undefined, child: 'main' })
})

it('an agent has its first person, and the last one where it is another', () => {
  const { registry } = run(started('main', 0), started('main', 1, ann), started('main', 2, ann))
  expect(agentIn(registry, 'main')).toMatchObject({ userHash: 'ann' })
  expect(agentIn(registry, 'main')).not.toHaveProperty('lastUserHash')
  expect(agentIn(runFrom(registry, [started('main', 3, eve)]).registry, 'main')).toMatchObject({
    userHash: 'ann',
    lastUserHash: 'eve',
  })
})
