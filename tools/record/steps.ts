import type { Reply, Scenario, ScriptedAgent, ScriptedCall, Step } from './script.ts'

export function scenario(
  name: string,
  agents: readonly ScriptedAgent[],
  prompts: readonly string[],
): Scenario {
  return { name, agents, runs: prompts.map((prompt) => ({ prompt })), ending: 'finished' }
}

export function main(...steps: readonly Step[]): ScriptedAgent {
  return { key: 'main', parent: null, steps, status: 'success' }
}

export function agent(key: string, parent: string, ...steps: readonly Step[]): ScriptedAgent {
  return { key, parent, steps, status: 'success' }
}

export function asked(prompt: string): Step {
  return { prompt }
}

export function replied(reply: Reply): Step {
  return { reply }
}

export function awaiting(...awaits: readonly string[]): Step {
  return { awaits }
}

export function reading(report: string): readonly Step[] {
  const look: Reply = {
    think: 'The notes first.',
    say: 'I read the notes.',
    calls: [read('notes.md', 'first line')],
  }
  return [replied(look), replied({ say: report })]
}

export function calling(key: string, task: string): Reply {
  return { say: 'I ask an agent.', calls: [agentCall(key, task)] }
}

export function agentCall(key: string, prompt: string, background?: true): ScriptedCall {
  return {
    does: 'agent',
    agent: key,
    prompt,
    description: `Work of ${key}`,
    ...(background && { background }),
  }
}

export function command(text: string, contains: string): Extract<ScriptedCall, { does: 'command' }> {
  return { does: 'command', command: text, contains }
}

export function read(path: string, contains: string): ScriptedCall {
  return { does: 'read', path, contains }
}
/** The last reply of main. */
export const done: Reply = { say: 'That is all.' }
