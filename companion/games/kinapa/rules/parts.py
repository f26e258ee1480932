"""Kinapa's events by the part of a turn that rules them."""

from companion.core import events as shared
from companion.games.kinapa.rules import events as ev

Count = (
    ev.NumberAnnounced
    | ev.AidsAsked
    | ev.AidLaid
    | ev.CountDue
    | ev.RecountAsked
    | ev.CountOpened
    | ev.BeatStruck
    | ev.HandRaised
    | ev.HandLowered
    | ev.ButtonDown
    | ev.ButtonUp
    | ev.HandTooEarly
    | ev.HandTooLate
    | ev.HandsLocked
    | shared.WindowVoided
)
"""From the announcement to hands that stand."""
Exchange = (
    ev.PairShown
    | ev.PairDenied
    | ev.PartnerChosen
    | ev.ExchangeDeclined
    | ev.LotDrawn
    | ev.CardDrawn
    | ev.CardReturned
)
"""A card is drawn from a lowered seat, and one goes back."""
Demand = (
    ev.OneAsked
    | ev.BotAsked
    | ev.AllAsked
    | ev.LiarCalled
    | ev.Admitted
    | ev.Denied
    | ev.HolderFound
    | ev.TwoHolders
    | ev.CardHanded
    | ev.HandoverRefused
    | ev.Punished
    | ev.FoxesTaken
    | ev.PunishmentSpared
    | ev.AuditOpened
    | ev.CardFound
    | ev.CardNotFound
)
"""The number is asked for: answers, the card, liars, the audit."""
Object = ev.ObjectTurned | ev.PairPlaced | ev.ObjectHidden | ev.ObjectForgotten | ev.AmissSeen | ev.PutRight
"""The ring."""
Succession = (
    ev.EmperorCrowned
    | ev.AnimalMissing
    | ev.SwitchAsked
    | ev.Switched
    | ev.DeckEmptied
    | ev.SheepTaken
    | ev.SuccessorAsked
    | ev.SheepReturned
    | ev.FoxRemoved
    | ev.EmperorStays
    | ev.FoxTickAgreed
    | ev.GameWon
    | shared.GameAbandoned
)
"""Crown, Sheep, Foxes that leave, the end."""
Known = ev.FalseDenialProven | ev.LieProven | ev.OpenCardsSeen | shared.Repaired
"""What is known now and was not before."""
Said = shared.Infraction | shared.Repair | ev.EndTold
"""What changes nothing."""
KinapaEvent = Count | Exchange | Demand | Object | Succession | Known | Said
AnyKinapaEvent = KinapaEvent | shared.SharedEvent
