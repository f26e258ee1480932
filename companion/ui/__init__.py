"""What people see and hear: pages drawn from views, voice, languages. Knows no state and no judgement."""
