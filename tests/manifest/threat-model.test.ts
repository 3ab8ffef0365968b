import { checkProofs } from './proofs.ts'

checkProofs('docs/threat-model.md')
