export { toAtif } from './to-atif.ts'
export type {
  AtifAgent,
  AtifContentPart,
  AtifFinalMetrics,
  AtifMetrics,
  AtifResult,
  AtifStep,
  AtifToolCall,
  AtifTrajectory,
} from './trajectory.ts'
