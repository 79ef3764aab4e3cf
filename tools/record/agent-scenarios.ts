import type { Scenario } from './script.ts'
import {
  agent,
  agentCall,
  asked,
  awaiting,
  calling,
  command,
  done,
  main,
  reading,
  replied,
  scenario,
} from './steps.ts'

export function oneAgent(): Scenario {
  const prompt = 'Let an agent look at the notes.'
  const task = 'Look at notes.md and tell its lines.'
  const child = agent('A', 'main', asked(task), ...reading('REPORT-A: there are two lines.'))
  return scenario(
    'agent',
    [main(asked(prompt), replied(calling('A', task)), awaiting('A'), replied(done)), child],
    [prompt],
  )
}

/** Three agents at once, of which two have the same prompt. */
export function parallelAgents(): Scenario {
  const prompt = 'Let three agents look at the notes.'
  const tasks = {
    A: 'Read the first line of notes.md.',
    B: 'Read all of notes.md.',
    C: 'Read the first line of notes.md.',
  }
  const calls = Object.entries(tasks).map(([key, task]) => agentCall(key, task))
  const children = Object.entries(tasks).map(([key, task], at) =>
    agent(
      key,
      'main',
      asked(task),
      replied({
        waits: 150 + 200 * at,
        say: `Agent number ${at} begins.`,
        calls: [command(`echo seen-${at}`, `seen-${at}`)],
      }),
      replied({ say: `REPORT-${key}: number ${at} is done.` }),
    ),
  )
  const steps = [
    asked(prompt),
    replied({ say: 'Three at once.', calls }),
    awaiting('A', 'B', 'C'),
    replied(done),
  ]
  return scenario('parallel', [main(...steps), ...children], [prompt])
}

export function nestedAgents(): Scenario {
  const prompt = 'Let an agent ask another agent.'
  const [outer, inner] = ['Ask an agent of your own for the lines.', 'Tell me the lines of notes.md.']
  return scenario(
    'nested',
    [
      main(asked(prompt), replied(calling('A', outer)), awaiting('A'), replied(done)),
      agent(
        'A',
        'main',
        asked(outer),
        replied(calling('B', inner)),
        awaiting('B'),
        replied({ say: 'REPORT-A: my agent saw two lines.' }),
      ),
      agent('B', 'A', asked(inner), ...reading('REPORT-B: two lines.')),
    ],
    [prompt],
  )
}

export function backgroundAgent(): Scenario {
  const prompt = 'Let an agent work in the background.'
  const task = 'Take your time with notes.md.'
  const slow = command('sleep 1; echo slow-4', 'slow-4')
  return scenario(
    'background',
    [
      main(
        asked(prompt),
        replied({ say: 'It starts.', calls: [agentCall('A', task, true)] }),
        { awaits: ['A'], say: 'Meanwhile I wait.' },
        replied({ say: 'The agent has reported.' }),
      ),
      agent(
        'A',
        'main',
        asked(task),
        replied({ say: 'Slowly.', calls: [slow] }),
        replied({ say: 'REPORT-A: it took a while.' }),
      ),
    ],
    [prompt],
  )
}

/** The model refuses the second request of the agent for good. */
export function failingAgent(): Scenario {
  const prompt = 'Let an agent fail.'
  const task = 'Begin, and then fail.'
  const child = agent(
    'A',
    'main',
    asked(task),
    replied({ say: 'I begin.', calls: [command('echo half-5', 'half-5')] }),
    replied({ status: 400 }),
  )
  const steps = [
    asked(prompt),
    replied(calling('A', task)),
    awaiting('A'),
    replied({ say: 'The agent has failed.' }),
  ]
  return scenario('failure', [main(...steps), { ...child, status: 'error' }], [prompt])
}
