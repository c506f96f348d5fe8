export { contradictionsOf, type DigestReport, digestOf } from './digest.ts';
export {
  type Candidate,
  coverageAmong,
  type Found,
  type IndexedReport,
  MOST_REFERENCES,
  mayBeOfOneStory,
  type Neighbor,
  neighborsOf,
  placeOf,
  reportsOfAnotherEvent,
  searchFor,
  withCandidates,
  withOthers,
} from './grouping.ts';
export {
  type Judgement,
  RuleJudge,
  type Rules,
  type RulesSettings,
  readRules,
  rulesOf,
  type ScoreTerm,
  type SelectRule,
  type Submission,
  type SubmissionJudge,
  type SubmissionSource,
} from './judge.ts';
export {
  CORE,
  type StoredReport,
  storedReport,
  type WeighedReport,
  type WeighedTerm,
  weighed,
  weighedReport,
} from './likeness.ts';
export {
  ANSWER_TOKENS,
  type AnswerMemory,
  ChatEndpoint,
  type ChatQuestion,
  EndpointFault,
  type EndpointSettings,
  endpointUrl,
  type ModelBudget,
  type Spender,
} from './model-endpoint.ts';
export {
  digestAnswer,
  digestQuestion,
  InventedFact,
  ModelJudge,
  readDigest,
  readsLikeInstruction,
} from './model-judge.ts';
export { peopleCountsOf } from './people-counts.ts';
export { sharedWords } from './shared-words.ts';
export {
  type Lexicon,
  originalTitle,
  rarityOf,
  readLexicon,
  type SourceText,
  termsOf,
  withoutSharedParts,
} from './terms.ts';
export { type TitleVector, TitleVectors } from './title-vectors.ts';
