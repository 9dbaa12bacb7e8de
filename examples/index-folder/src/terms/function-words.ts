/**
 * English words that hold sentences together and say nothing of what a text is about. They are indexed and found like any
 * other term; only the ranking leaves them out. In other languages the ranking has to do with rarity alone.
 */
export const functionWords: ReadonlySet<string> = new Set(
  `a about above after again against all also although always am among an and another any are aren't as at be because been
  before being below between both but by can can't cannot could did didn't do does doesn't doing don't done down during each
  either else even ever every few for from further gets give given gives had has hasn't have haven't having he her here hers
  him his how however i if in into is isn't it it's its itself just let less like made make makes many may me might more most
  much must my neither never no nobody none nor not nothing now of off on once one only onto or other others otherwise our out
  over own per quite rather same shall she should since so some still such than that that's the their them then there
  therefore these they thing this those though through thus to together too under until up upon us use used uses using very
  via was wasn't we well were what when where whether which while who whom whose why will with within without would yet you
  your yours two three four five six seven eight nine ten first second third last`.split(/\s+/u),
);
