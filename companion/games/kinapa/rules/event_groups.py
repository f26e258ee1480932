"""Groups of Kinapa's events by the part of a turn they belong to."""

from companion.core import events as shared
from companion.games.kinapa.rules import events as ev

CountEvent = (
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
ExchangeEvent = (
    ev.PairShown
    | ev.PairDenied
    | ev.PartnerChosen
    | ev.ExchangeDeclined
    | ev.HandPlaceDrawn
    | ev.KinapaCardDrawn
    | ev.CardReturned
)
"""A card is drawn from a lowered seat, and one goes back."""
DemandEvent = (
    ev.SoleLoweredAsked
    | ev.BotAsked
    | ev.AllAsked
    | ev.LiarCalled
    | ev.NumberAdmitted
    | ev.NumberDenied
    | ev.HolderFound
    | ev.TwoHolders
    | ev.CardHanded
    | ev.HandoverRefused
    | ev.LiarPunished
    | ev.FoxesTaken
    | ev.PunishmentSpared
    | ev.AuditOpened
    | ev.CardFound
    | ev.CardNotFound
)
"""The number is asked for: answers, the card, liars, the audit."""
RingEvent = (
    ev.ObjectTurned
    | ev.PairPlaced
    | ev.ObjectHidden
    | ev.ObjectForgotten
    | ev.KinapaMisplacementSeen
    | ev.KinapaMisplacementResolved
)
"""The ring."""
SuccessionEvent = (
    ev.EmperorCrowned
    | ev.AnimalMissing
    | ev.SwitchAsked
    | ev.DecksSwitched
    | ev.DeckEmptied
    | ev.SheepTaken
    | ev.SuccessorAsked
    | ev.SheepReturned
    | ev.FoxRemoved
    | ev.EmperorStays
    | ev.FoxTickAgreed
    | ev.KinapaGameWon
    | shared.GameAbandoned
)
"""Crown, Sheep, Foxes that leave, the end."""
KnowledgeEvent = ev.FalseDenialProven | ev.LieProven | ev.OpenCardsSeen | shared.Repaired
"""What is known now and was not before."""
NoEffectEvent = shared.Infraction | shared.Repair | ev.WinConditionTold
"""What changes nothing."""
KinapaEvent = (
    CountEvent | ExchangeEvent | DemandEvent | RingEvent | SuccessionEvent | KnowledgeEvent | NoEffectEvent
)
AnyKinapaEvent = KinapaEvent | shared.SharedEvent
