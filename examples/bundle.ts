import { join } from 'node:path'
import { build } from 'esbuild'

// The examples run in the folder of the project.
const ROOT = process.cwd()

/** Bundles a client for the browser. The path starts at `examples/`. */
export async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'examples', path)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
